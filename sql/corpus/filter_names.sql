-- filter_names: the names that a filter lists, as an array: those of a JSON array of strings, or a single string.
--
-- lowered: in lower case.
-- IMMUTABLE, so that conditions of filter_condition contain the array as a constant: it is read once, and the planner
-- can estimate how many rows match.
CREATE OR REPLACE FUNCTION filter_names(wanted jsonb, lowered boolean DEFAULT false)
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN (SELECT array_agg(CASE WHEN filter_names.lowered THEN lower(n.name) ELSE n.name END)
          FROM jsonb_array_elements_text(jsonb_path_query_array(filter_names.wanted, '$[*]')) n (name));
COMMENT ON FUNCTION filter_names(jsonb, boolean) IS 'Part of filter_condition: the names that a filter lists';
