-- model_overview: the registered embedding models by short name, with the number of vectors of each field and the
-- indexes.
CREATE OR REPLACE FUNCTION model_overview()
RETURNS TABLE (
    model text, name text, revision text, dim integer, storage text, pooling text, query_prefix text,
    passage_prefix text,
    max_tokens integer, made_by text[], titles bigint, abstracts bigint, contents bigint, passages bigint, indexes text,
    recipe jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models;
BEGIN
    FOR space IN SELECT * FROM vector_models m ORDER BY m.model LOOP
        RETURN QUERY EXECUTE format(
            $sql$SELECT m.model, m.name, m.revision, m.dim, m.storage, m.pooling, m.query_prefix,
                        m.passage_prefix, m.max_tokens,
                        m.made_by, v.titles, v.abstracts, v.contents, p.passages,
                        (SELECT string_agg(format('%%s %%s', i.field, i.kind), ', ' ORDER BY i.field)
                           FROM vector_indexes i WHERE i.model = m.model),
                        m.recipe
                   FROM vector_models m,
                        (SELECT count(title_v) AS titles, count(abstract_v) AS abstracts, count(content_v) AS contents
                             FROM %I) v,
                        (SELECT count(passage_v) AS passages FROM %I) p
                  WHERE m.model = $1$sql$, space.relation, vector_relation(space, 'passage'))
        USING space.model;
    END LOOP;
END
$$;
COMMENT ON FUNCTION model_overview() IS
'Registered embedding models with the number of vectors of each field and their indexes';
