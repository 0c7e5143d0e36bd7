-- vector_relation: the table with a model's vectors of a field: the model's table dblp_v or dblp_v_<model>, and for
-- passages dblp_p or dblp_p_<model>.
CREATE OR REPLACE FUNCTION vector_relation(space vector_models, field text)
RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE field WHEN 'passage' THEN regexp_replace(space.relation, '^dblp_v', 'dblp_p') ELSE space.relation END::name;
COMMENT ON FUNCTION vector_relation(vector_models, text) IS 'Table with a model''s vectors of a field';
