-- answer_relate_told: labelled pairs of a split with a model's probabilities, NULL if it has not rated the pair; by
-- query and answers.
CREATE OR REPLACE FUNCTION answer_relate_told(model_id integer, set_id integer)
RETURNS TABLE (
    query text, template text, text_a text, text_b text, label smallint, relation text, support real, oppose real
)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.query, p.template, p.text_a, p.text_b, p.label, p.relation, r.support, r.oppose
      FROM answer_relate_pairs(answer_relate_told.set_id) p
      LEFT JOIN answer_relations r ON r.model = answer_relate_told.model_id AND r.a = p.a AND r.b = p.b
     WHERE p.label IS NOT NULL
$$;
COMMENT ON FUNCTION answer_relate_told(integer, integer) IS
    'Labelled pairs of a split with a model''s probabilities of support and oppose; NULL if it has not rated the pair';
