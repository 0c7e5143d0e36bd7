-- record_snapshot: record that a loaded file is the collection at a date, or a part of it; several files may have one
-- date, and dates may come in any order. Its documents were in the collection on that day: first_date and last_date of
-- dblp_facts become the dates of the first and the last snapshot that contain a document, and absent the dates of
-- snapshots in between that do not. Repeating it changes nothing.
--
-- Returns the number of documents of the file.
-- Raises IR405 for a file whose documents were not recorded, IR415 if the collection is distributed.
CREATE OR REPLACE FUNCTION record_snapshot(file integer, day date)
RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    documents bigint;
    days date[];
    previous date;
    following date;
BEGIN
    PERFORM refuse_distributed('recording a snapshot');
    IF EXISTS (SELECT FROM corpus_chunks k WHERE k.file = record_snapshot.file AND k.docs IS NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'the documents of the file were not recorded, because an earlier version loaded it',
            HINT = 'Remove its documents and load it again.';
    END IF;
    LOCK TABLE corpus_snapshots IN SHARE ROW EXCLUSIVE MODE;  -- the dates of documents depend on all snapshots
    days := ARRAY(SELECT DISTINCT s.day FROM corpus_snapshots s ORDER BY 1);
    SELECT max(s.day) FILTER (WHERE s.day < record_snapshot.day), min(s.day) FILTER (WHERE s.day > record_snapshot.day)
      INTO previous, following FROM unnest(days) AS s (day);
    IF record_snapshot.day <> ALL (days) AND record_snapshot.day < days[cardinality(days)] THEN
        -- A snapshot between others lacks documents whose dates include it, except those of this file.
        UPDATE dblp_facts f
           SET absent = ARRAY(SELECT a.day FROM unnest(f.absent || record_snapshot.day) AS a (day) ORDER BY 1)
         WHERE f.first_date < record_snapshot.day AND f.last_date > record_snapshot.day
           AND NOT EXISTS (SELECT FROM (SELECT unnest(k.docs) AS id FROM corpus_chunks k
                                         WHERE k.file = record_snapshot.file) c WHERE c.id = f.id);
    END IF;
    INSERT INTO corpus_snapshots (day, file) VALUES (record_snapshot.day, record_snapshot.file)
    ON CONFLICT DO NOTHING;
    WITH contained AS MATERIALIZED (
        SELECT DISTINCT unnest(k.docs) AS id FROM corpus_chunks k WHERE k.file = record_snapshot.file
    ), dated AS (
        UPDATE dblp_facts f
           SET first_date = least(f.first_date, record_snapshot.day),
               last_date = greatest(f.last_date, record_snapshot.day),
               absent = CASE
                   WHEN f.first_date IS NULL THEN NULL
                   WHEN f.last_date = previous AND record_snapshot.day > f.last_date
                        OR f.first_date = following AND record_snapshot.day < f.first_date THEN f.absent
                   ELSE nullif(ARRAY(
                       SELECT a.day FROM unnest(f.absent) AS a (day) WHERE a.day <> record_snapshot.day
                       UNION ALL
                       SELECT s.day FROM unnest(days) AS s (day)
                        WHERE s.day > f.last_date AND s.day < record_snapshot.day
                           OR s.day < f.first_date AND s.day > record_snapshot.day
                        ORDER BY 1), '{}') END
          FROM contained c
         WHERE f.id = c.id
           AND (f.first_date IS NULL OR record_snapshot.day NOT BETWEEN f.first_date AND f.last_date
                OR record_snapshot.day = ANY (f.absent))
    )
    SELECT count(*) INTO documents FROM contained;
    RETURN documents;
END
$$;
COMMENT ON FUNCTION record_snapshot(integer, date) IS
'Record that a loaded file is the collection at a date, or a part of it; returns its number of documents';
