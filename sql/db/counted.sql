-- counted: a number for a message, with its noun: 1 query, 2,000 queries, NULL queries; without a noun 2,000. As
-- counted in Python (stcollection/counts.py).
--
-- several: the plural, if it is not one with an s, or with ies for a y after a consonant.
CREATE OR REPLACE FUNCTION counted(n double precision, one text DEFAULT NULL, several text DEFAULT NULL) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT concat_ws(' ', coalesce(regexp_replace(round(n::numeric)::text, '\d(?=(\d{3})+$)', '\&,', 'g'), 'NULL'),
                     CASE WHEN n = 1 THEN one
                          ELSE coalesce(several, regexp_replace(one, '([^aeiou])y$', '\1ie') || 's') END)
$$;
COMMENT ON FUNCTION counted(double precision, text, text) IS
'A number for a message, with its noun in the singular or plural';
