-- krippendorff_alpha: Krippendorff's alpha of grades by any number of annotators, who need not have graded the same:
-- units and rels are paired by place, one place a judgment. level: nominal, ordinal or interval. At most 1, 0 for
-- agreement by chance alone; NULL where one grade alone occurs, or no unit has two (Krippendorff, Content Analysis, 2nd
-- ed. 2004). Equal to the package krippendorff. coincidences and coincidence_alpha have the formulas. Raises IR202 no
-- such level.
CREATE OR REPLACE FUNCTION krippendorff_alpha(units bigint[], rels integer[], level text DEFAULT 'ordinal')
    RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT coincidence_alpha(array_agg(c.x), array_agg(c.y), array_agg(c.n), krippendorff_alpha.level)
      FROM coincidences(krippendorff_alpha.units, krippendorff_alpha.rels) c
$$;
COMMENT ON FUNCTION krippendorff_alpha(bigint[], integer[], text) IS
'Krippendorff''s alpha of grades by any number of annotators, one place a judgment: nominal, ordinal or interval; at '
'most 1';
