-- cosines_statement: the statement that returns documents of $2 with the cosine of their vector and $1: of the field of
-- a model; document is the abstract, or the title of a document without one; passage the best passage. Documents
-- without a vector have no rows. Each server of a distributed collection answers it for its own documents.
CREATE OR REPLACE FUNCTION cosines_statement(field text, space vector_models)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT CASE cosines_statement.field
        WHEN 'passage' THEN format(
            'SELECT p.doc, max(0 - (v.passage_v <#> $1)) FROM dblp_passages p JOIN %I v ON v.id = p.id '
            'WHERE p.doc = ANY ($2) AND v.passage_v IS NOT NULL GROUP BY p.doc',
            vector_relation(space, 'passage'))
        WHEN 'document' THEN format(
            'SELECT v.id, 0 - coalesce(v.abstract_v <#> $1, v.title_v <#> $1) FROM %I v '
            'WHERE v.id = ANY ($2) AND coalesce(v.abstract_v, v.title_v) IS NOT NULL', space.relation)
        ELSE format('SELECT v.id, 0 - (v.%1$I <#> $1) FROM %2$I v WHERE v.id = ANY ($2) AND v.%1$I IS NOT NULL',
                    vector_column(cosines_statement.field), space.relation) END
$$;
COMMENT ON FUNCTION cosines_statement(text, vector_models) IS
'Statement that returns documents with the cosine of their vector and that of a query';
