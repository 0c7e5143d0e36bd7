-- vector_index_name: the name of the index on a field's vectors: <table>_<field>_<kind>. If PostgreSQL would cut the
-- name, a digest replaces part of the table's name, so that two fields of a model with a long name do not share one.
CREATE OR REPLACE FUNCTION vector_index_name(relation name, field text, kind text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN length(relation) <= 40 THEN relation::text
            ELSE left(relation, 31) || '_' || left(md5(relation::text), 8) END
    || '_' || field || '_' || kind;
COMMENT ON FUNCTION vector_index_name(name, text, text) IS 'Name of the index on a field''s vectors';
