-- filter_licences: the licences that a filter lists, in the spelling of dblp_facts; none means no licence.
-- IMMUTABLE for the reason given in filter_names.
CREATE OR REPLACE FUNCTION filter_licences(wanted jsonb)
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT array_agg(licence_name(n.name)) FROM unnest(filter_names(filter_licences.wanted)) AS n (name)
$$;
COMMENT ON FUNCTION filter_licences(jsonb) IS 'Part of filter_condition: the licences that a filter lists';
