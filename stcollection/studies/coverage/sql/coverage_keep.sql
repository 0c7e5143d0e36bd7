-- coverage_keep: store the topics of a text under a name, replacing earlier ones; returns the key in coverages.
--
-- query: the query whose text it is; NULL if none. docs: the nearest abstracts. topics: rows {kind, place, words,
-- weight, count}.
-- Raises IR103 no such query.
CREATE OR REPLACE FUNCTION coverage_keep(
    coverage text, query text, content text, model text, docs bigint[], params jsonb, topics jsonb
)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    key integer;
    asked integer;
BEGIN
    PERFORM check_name('coverage', coverage_keep.coverage), check_name('model', coverage_keep.model);
    IF coverage_keep.query IS NOT NULL THEN
        SELECT q.id INTO asked FROM st1_queries q WHERE q.query = coverage_keep.query COLLATE "C";
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('no query %L', left(coverage_keep.query, 80)),
                HINT = 'Load queries with ''stc load --as topics''.';
        END IF;
    END IF;
    INSERT INTO coverages AS kept (coverage, query, text, model, docs, params)
    VALUES (coverage_keep.coverage, asked, coverage_keep.content, coverage_keep.model, coverage_keep.docs,
            coverage_keep.params)
    ON CONFLICT ON CONSTRAINT coverages_coverage_key DO UPDATE
       SET query = excluded.query, text = excluded.text, model = excluded.model, docs = excluded.docs,
           params = excluded.params, made = now()
    RETURNING kept.id INTO key;
    DELETE FROM coverage_topics t WHERE t.coverage = key;
    INSERT INTO coverage_topics (coverage, kind, place, words, weight, count)
    SELECT key, r.kind, r.place, r.words, r.weight, r.count
      FROM jsonb_to_recordset(coverage_keep.topics) r (kind text, place integer, words text[], weight double precision,
                                                       count bigint);
    RETURN key;
END
$$;
COMMENT ON FUNCTION coverage_keep(text, text, text, text, bigint[], jsonb, jsonb) IS
    'Stores the topics of a text under a name, replacing earlier ones; returns the key';
