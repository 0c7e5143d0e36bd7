-- filter_ids: the ids of documents that a filter lists, as an array.
--
-- IMMUTABLE for the same reason as filter_names. The planner makes a hash table of a constant array.
CREATE OR REPLACE FUNCTION filter_ids(wanted jsonb)
RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN (SELECT coalesce(array_agg(n.id::numeric::bigint), '{}')
          FROM jsonb_array_elements_text(filter_ids.wanted) n (id));
COMMENT ON FUNCTION filter_ids(jsonb) IS 'Part of filter_condition: the ids of documents that a filter lists';
