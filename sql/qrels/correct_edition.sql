-- correct_edition: correct judgments of an edition in a new version of it, and return the name of the version. The
-- edition itself does not change, so that a seal keeps its meaning.
--
-- The version is a copy (copy_edition) with a final judgment for each correction, with its reason as note. corrections
-- is an array of {line, query, doc, rel, why}. version: its name; NULL for the next free one: train-v2, train-v3, …
-- annotator: who corrects; a number is added if the name has judged the document. unjudged: also accept documents that
-- the edition does not judge.
-- Raises IR102 no such edition; IR202 no correction, the first of correction_faults, or a name that is in use.
CREATE OR REPLACE FUNCTION correct_edition(
    edition text, corrections jsonb, version text DEFAULT NULL, annotator text DEFAULT 'correction',
    unjudged boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := edition_key(correct_edition.edition);
    base CONSTANT text := regexp_replace(correct_edition.edition, '-v\d+$', '');
    name text := correct_edition.version;
    target_id integer;
    about text;
    number integer := coalesce(substring(correct_edition.edition FROM '-v(\d{1,8})$')::integer, 1);
    fault text := (SELECT f.fault
                     FROM correction_faults(correct_edition.edition, correct_edition.corrections,
                                            correct_edition.unjudged) f LIMIT 1);
BEGIN
    IF fault IS NOT NULL OR jsonb_array_length(correct_edition.corrections) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = coalesce(fault, 'there is no correction'),
            HINT = 'Correct judgments of the edition, each once; edition_judgments(edition) lists them.';
    END IF;
    PERFORM check_name('annotator', correct_edition.annotator);
    WHILE name IS NULL OR correct_edition.version IS NULL
          AND EXISTS (SELECT FROM qrels_editions e WHERE e.edition = name COLLATE "C") LOOP
        number := number + 1;
        name := format('%s-v%s', base, number);
    END LOOP;
    SELECT format('correction of %s: %s', correct_edition.edition,
                  CASE count(*) WHEN 1 THEN concat(min(c.query), ' ', min(c.doc), ' ', min(j.rel), ' → ', min(c.rel),
                                                   ' (', left(min(c.why), 500), ')')
                                ELSE counted(count(*), 'judgment') END) INTO about
      FROM jsonb_to_recordset(correct_edition.corrections) AS c (line integer, query text, doc text, rel smallint,
                                                                 why text)
      JOIN st1_queries q ON q.query = c.query COLLATE "C"
      JOIN dblp d ON d.docno = c.doc COLLATE "C"
      LEFT JOIN qrels j ON j.edition = source_id AND j.query = q.id AND j.doc = d.id;
    target_id := copy_edition(name, correct_edition.edition, about);
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, note, hidden, final)
    SELECT target_id, q.id, d.id, c.rel, 'human',
           (SELECT n.annotator
              FROM (SELECT correct_edition.annotator, 1 AS place
                     UNION ALL SELECT correct_edition.annotator || ' ' || g, g FROM generate_series(2, 999) g) n
             WHERE NOT EXISTS (SELECT FROM qrels_judgments k
                                WHERE k.edition = target_id AND k.query = q.id AND k.doc = d.id
                                  AND k.annotator = n.annotator COLLATE "C")
             ORDER BY n.place LIMIT 1),
           c.why, (SELECT e.hidden FROM qrels_editions e WHERE e.id = target_id), true
      FROM jsonb_to_recordset(correct_edition.corrections) AS c (line integer, query text, doc text, rel smallint,
                                                                 why text)
      JOIN st1_queries q ON q.query = c.query COLLATE "C"
      JOIN dblp d ON d.docno = c.doc COLLATE "C"
     ORDER BY c.line;
    RETURN name;
END
$$;
COMMENT ON FUNCTION correct_edition(text, jsonb, text, text, boolean) IS
    'Corrects judgments of an edition in a new version of it, and returns its name; the edition does not change';
