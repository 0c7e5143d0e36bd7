-- build_impacts: build the index of impacts of a field. The texts of its sparse vectors (impact_text) are computed into
-- a new table, which is indexed; then it replaces the present one, and a trigger keeps it up to date
-- (keep_impacts). Returns the inverse document frequencies of the terms (impact_statistics).
--
-- Searches continue on the old index. They wait only for the replacement, as short as a rename. Part of index_vectors,
-- which keeps writers away.
CREATE OR REPLACE FUNCTION build_impacts(relation name, field text)
RETURNS real[]
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    texts CONSTANT text := vector_index_name(relation, field, 'impacts');
    index CONSTANT text := vector_index_name(relation, field, 'impact');
    keeper CONSTANT text := 'keep_impacts_' || field;
    known record;
BEGIN
    SELECT * INTO known FROM impact_statistics(build_impacts.relation, build_impacts.field);
    EXECUTE format(
        'CREATE TABLE stc.%I AS SELECT v.id, impact_text(v.%2$I, %3$L::real) AS content FROM %4$I v '
        'WHERE v.%2$I IS NOT NULL', texts || '_new', vector_column(field), known.scale, relation);
    EXECUTE format('ALTER TABLE stc.%I ADD PRIMARY KEY (id)', texts || '_new');
    EXECUTE format('COMMENT ON TABLE stc.%I IS %L', texts || '_new',
                   format('%s of %s as text, for the index of impacts', vector_column(field), relation));
    EXECUTE format('CREATE INDEX %I ON stc.%I USING bm25 (content) '
                   'WITH (text_config = ''pg_catalog.simple'', k1 = 10, b = 0)', index || '_new', texts || '_new');
    IF EXISTS (SELECT FROM pg_trigger t
                WHERE t.tgrelid = to_regclass(quote_ident(relation)) AND t.tgname = keeper) THEN
        EXECUTE format('DROP TABLE IF EXISTS stc.%I', texts);
    ELSE
        PERFORM drop_vector_index(relation, field);
    END IF;
    EXECUTE format('ALTER TABLE stc.%I RENAME TO %I', texts || '_new', texts);
    EXECUTE format('ALTER INDEX stc.%I RENAME TO %I', index || '_new', index);
    PERFORM seal_text_index(to_regclass(quote_ident(index)));
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT OR DELETE OR UPDATE OF %I ON %I FOR EACH ROW '
                   'EXECUTE FUNCTION keep_impacts(%L, %L)', keeper, vector_column(field), relation, field, known.scale);
    RETURN known.idf;
END
$$;
COMMENT ON FUNCTION build_impacts(name, text) IS
'Build the index of impacts of a field beside the present one, then replace it';
