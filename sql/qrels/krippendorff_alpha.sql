-- krippendorff_alpha: Krippendorff's alpha of grades by any number of annotators, who need not have graded the same
-- units; at most 1, 0 for chance agreement.
--
-- units and rels are paired by position, one position per judgment. level: nominal, ordinal or interval. NULL if only
-- one grade occurs, or no unit has two grades (Krippendorff, Content Analysis, 2nd ed. 2004). Equal to the package
-- krippendorff. Formulas: coincidences and coincidence_alpha.
-- Raises IR202 no such level.
CREATE OR REPLACE FUNCTION krippendorff_alpha(units bigint[], rels integer[], level text DEFAULT 'ordinal')
    RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coincidence_alpha(array_agg(c.x), array_agg(c.y), array_agg(c.n), krippendorff_alpha.level)
      FROM coincidences(krippendorff_alpha.units, krippendorff_alpha.rels) c
$$;
COMMENT ON FUNCTION krippendorff_alpha(bigint[], integer[], text) IS
    'Krippendorff''s alpha of grades by any number of annotators: nominal, ordinal or interval; at most 1; NULL if '
    'undefined';
