-- answer_voters: answers of a split that vote, one row each; unordered.
--
-- Answers without text, or whose document is not among the query's documents, do not vote. said is the text normalised
-- by answer_same_text. source: given, or the name of an extraction. query_id: one query; NULL for all.
CREATE OR REPLACE FUNCTION answer_voters(set_id integer, source text, query_id integer DEFAULT NULL)
RETURNS TABLE (query integer, answer bigint, document bigint, said text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100000 SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT v.query, v.id, v.document, v.said
      FROM (SELECT a.query, a.id, a.document, answer_same_text(a.text) AS said
              FROM answer_queries q JOIN answers a ON a.query = q.id
             WHERE q.set = answer_voters.set_id AND (answer_voters.query_id IS NULL OR q.id = answer_voters.query_id)
               AND a.source = answer_voters.source COLLATE "C" AND a.document IS NOT NULL) v
     WHERE v.said <> '';
END
$$;
COMMENT ON FUNCTION answer_voters(integer, text, integer) IS
    'Answers of a split that vote: those with text and with a document of their query';
