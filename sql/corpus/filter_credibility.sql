-- filter_credibility: the part of filter_condition for computed values: age, citations_per_year and
-- citation_percentile, as in the view credibility.
--
-- The condition also limits year and n_citation as far as the bounds imply, so that their indexes can be used: an age
-- of at most 5 implies a year from as_of - 5; at least 10 citations per year implies at least 10 citations.
-- Raises IR202 an invalid value, IR405 citation_percentile if no document is ranked.
CREATE OR REPLACE FUNCTION filter_credibility(key text, wanted jsonb)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    age CONSTANT text := 'greatest((SELECT stc.credibility_as_of()) - d.year, 0)';
    dated CONSTANT text := 'd.year BETWEEN 1000 AND extract(YEAR FROM now())::integer + 1';  -- plausible_year
    low CONSTANT text := CASE jsonb_typeof(filter_credibility.wanted) WHEN 'array' THEN format('($1 -> %L ->> 0)', key)
                         ELSE format('($1 ->> %L)', key) END;
    high CONSTANT text := CASE jsonb_typeof(filter_credibility.wanted) WHEN 'array' THEN format('($1 -> %L ->> 1)', key)
                          ELSE format('($1 ->> %L)', key) END;
    condition text;
    least_wanted numeric;
    most_wanted numeric;
BEGIN
    condition := CASE filter_credibility.key
        WHEN 'age' THEN filter_range(key, wanted, age, 'integer')
        WHEN 'citations_per_year' THEN
            filter_range(key, wanted, format('d.n_citation / (%s + 1)::double precision', age), 'double precision')
        WHEN 'citation_percentile' THEN filter_range(key, wanted, 'r.percentile', 'double precision')
    END;
    least_wanted := CASE jsonb_typeof(wanted) WHEN 'array' THEN wanted ->> 0 ELSE wanted #>> '{}' END;
    most_wanted := CASE jsonb_typeof(wanted) WHEN 'array' THEN wanted ->> 1 ELSE wanted #>> '{}' END;
    IF filter_credibility.key = 'citation_percentile' THEN
        IF least_wanted NOT BETWEEN 0 AND 100 OR most_wanted NOT BETWEEN 0 AND 100 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('a filter''s citation_percentile must be from 0 to 100, not %s',
                                 left(wanted::text, 80)),
                HINT = 'The most cited tenth is {"citation_percentile": [90, null]}.';
        ELSIF NOT EXISTS (SELECT 1 FROM citation_ranks LIMIT 1) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = 'a filter has the key citation_percentile, but no document is ranked by citations',
                HINT = 'Run stc complexity credibility, or SELECT stc.rank_citations().';
        END IF;
        RETURN format('d.id IN (SELECT r.id FROM stc.citation_ranks r WHERE %s)', condition);
    ELSIF filter_credibility.key = 'age' THEN
        RETURN concat_ws(' AND ', dated, condition,
            CASE WHEN least_wanted > 0 THEN format(
                                                   'd.year <= (SELECT stc.credibility_as_of()) - %s::numeric::bigint',
                                                   low) END,
            CASE WHEN most_wanted IS NOT NULL THEN format(
                                                          'd.year >= (SELECT stc.credibility_as_of()) - '
                                                          '%s::numeric::bigint', high) END);
    END IF;
    RETURN concat_ws(' AND ', dated, condition,
        CASE WHEN least_wanted > 0 THEN format('d.n_citation >= least(ceil(%s::double precision), 1e18)::bigint',
                                               low) END);
END
$$;
COMMENT ON FUNCTION filter_credibility(text, jsonb) IS
'Part of filter_condition: age, citations per year, percentile of citations';
