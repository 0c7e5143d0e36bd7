-- record_grants: store the present grants of tables in stc_catalogue, as an upgrade does: distributing them and the way
-- back change these on purpose (read_by_column).
CREATE OR REPLACE FUNCTION record_grants(relations regclass[]) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    tables CONSTANT text[] := ARRAY(SELECT shown_relation(u.relation) FROM unnest(relations) AS u (relation));
BEGIN
    DELETE FROM stc_catalogue s
     WHERE s.kind = 'grants' AND regexp_replace(s.name, '^(table |column (.*)[.].*$)', '\2') = ANY (tables);
    INSERT INTO stc_catalogue (kind, name, definition)
    SELECT c.kind, c.name, c.definition FROM collection_catalogue() c
     WHERE c.kind = 'grants' AND regexp_replace(c.name, '^(table |column (.*)[.].*$)', '\2') = ANY (tables);
END
$$;
COMMENT ON FUNCTION record_grants(regclass[]) IS 'Store the present grants of tables in stc_catalogue';
