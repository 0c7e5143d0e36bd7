-- answer_voters: the answers of a split that have a say, one row each; in no order.
--
-- An answer whose document is not among the query's never votes, nor does one without any text. said is
-- answer_same_text of it.
-- source: given, or the name of an extraction. query_id: that query alone; NULL is all.
CREATE OR REPLACE FUNCTION answer_voters(set_id integer, source text, query_id integer DEFAULT NULL)
RETURNS TABLE (query integer, answer bigint, document bigint, said text)
LANGUAGE plpgsql STABLE ROWS 100000 SET search_path = stc, public, pg_temp SET jit = off AS $$
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
'The answers of a split that have a say: of a document that is there';
