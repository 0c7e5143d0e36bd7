-- synth_target: distribution that generated queries should match: the number of relevant pairs (rel >= level) of an
-- edition for each number of query words and of query words found in the document (query_word_counts).
--
-- field: text of the document to use, as in a study (synth_passage). Pairs whose query or document has no text are
-- counted in the row with NULLs. Each pair counts once, so a query with many relevant documents has more weight, as in
-- a sample of the judgments (Craswell et al., TREC 2023 Deep Learning Track).
-- query_set: only the queries of a set (query_set).
-- Raises IR102 no such edition, IR103 no such query or set, IR106 no such field.
CREATE OR REPLACE FUNCTION synth_target(edition text, field text DEFAULT 'abstract', level integer DEFAULT 1,
                                        query_set text DEFAULT 'all')
RETURNS TABLE (length integer, found integer, pairs bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(synth_target.edition);
    members CONSTANT integer[] := edition_queries(synth_target.edition, synth_target.query_set);
BEGIN
    IF synth_target.field IS NULL OR synth_target.field NOT IN ('abstract', 'content') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = format('there is no field %L', synth_target.field),
            HINT = 'Use abstract, or content (title and abstract).';
    END IF;
    RETURN QUERY
    SELECT w.length, w.found, count(*)
      FROM (SELECT q.text AS query, synth_passage(synth_target.field, t.title, t.abstract) AS passage
              FROM qrels j
              JOIN st1_queries q ON q.id = j.query
              LEFT JOIN dblp_text t ON t.id = j.doc
             WHERE j.edition = edition_id AND j.rel >= synth_target.level AND j.query = ANY (members)) p
      LEFT JOIN LATERAL query_word_counts(p.query, p.passage) w ON p.passage IS NOT NULL AND w.length > 0
     GROUP BY w.length, w.found
     ORDER BY w.length, w.found;
END
$$;
COMMENT ON FUNCTION synth_target(text, text, integer, text) IS
    'Relevant pairs of an edition by number of query words and number of them found in the document; NULL without '
    'text';
