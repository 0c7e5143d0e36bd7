-- answer_relate_pairs: labelled pairs of one split with their texts, by query and answers.
CREATE OR REPLACE FUNCTION answer_relate_pairs(set_id integer)
RETURNS TABLE (
    query_id integer, query text, template text, a bigint, b bigint, text_a text, text_b text, label smallint,
    relation text
)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.id, q.text, q.template, p.a, p.b, x.text, y.text, p.label, p.relation
      FROM answer_queries q
      JOIN answer_pairs p ON p.query = q.id
      JOIN answers x ON x.id = p.a
      JOIN answers y ON y.id = p.b
     WHERE q.set = answer_relate_pairs.set_id
     ORDER BY q.place, p.a, p.b
$$;
COMMENT ON FUNCTION answer_relate_pairs(integer) IS
    'Labelled pairs of answers of one split, with their texts; by query and answers';
