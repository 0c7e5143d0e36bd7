-- rank_correlations: Spearman's rho between document measures, one row per pair, in the order of the argument.
--
--   rho = Pearson's correlation of the ranks; equal values get the mean of their ranks
--         (Spearman, American Journal of Psychology 15, 1904; as scipy.stats.spearmanr)
--
-- Only documents that have all the measures are used, so that all pairs are based on the same documents: complete is
-- their number, documents the number used. If there are more than most, a sample of most documents is used: those with
-- the lowest hash of their id and seed, hence always the same for one seed. rho is NULL if a measure is constant.
-- Raises IR108 no such measure, IR201 most below 2, IR202 fewer than two measures, or a measure given twice.
CREATE OR REPLACE FUNCTION public.rank_correlations(measures text[], most integer DEFAULT 200000, seed bigint DEFAULT 0)
RETURNS TABLE (a text, b text, rho double precision, documents bigint, complete bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    size CONSTANT integer := coalesce(cardinality(rank_correlations.measures), 0);
    columns text[];
    rhos double precision[];
    used bigint;
    there bigint;
BEGIN
    IF size < 2 OR size > (SELECT count(DISTINCT u.name) FROM unnest(rank_correlations.measures) AS u (name)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', HINT = 'Give two or more different measures.',
            MESSAGE = format('cannot correlate %s',
                             coalesce(array_to_string(rank_correlations.measures, ', '), 'NULL'));
    ELSIF coalesce(rank_correlations.most, 0) < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('a sample of %s is too small', counted(most, 'document')),
            HINT = 'most must be 2 or more.';
    END IF;
    SELECT array_agg(measure_column(u.name) ORDER BY u.place) INTO columns
      FROM unnest(rank_correlations.measures) WITH ORDINALITY AS u (name, place);
    EXECUTE format('SELECT count(*) FROM document_measures d WHERE %s',
        (SELECT string_agg(format('d.%s IS NOT NULL', c), ' AND ') FROM unnest(columns) AS c)) INTO there;
    EXECUTE format(
        'WITH picked AS MATERIALIZED (SELECT %s FROM document_measures d WHERE %s %s),'
        ' ranked AS MATERIALIZED (SELECT %s FROM picked p)'
        ' SELECT count(*), ARRAY[%s] FROM ranked',
        (SELECT string_agg(format('d.%s AS v%s', c, i), ', ') FROM unnest(columns) WITH ORDINALITY AS u (c, i)),
        (SELECT string_agg(format('d.%s IS NOT NULL', c), ' AND ') FROM unnest(columns) AS c),
        CASE WHEN there > rank_correlations.most THEN 'ORDER BY hashint8extended(d.id, $2), d.id LIMIT $1' END,
        -- the mean of a row's rank and the number of values up to its own is the mean rank of tied values
        (SELECT string_agg(
                    format('(rank() OVER (ORDER BY p.v%s) + count(*) OVER (ORDER BY p.v%1$s)) / 2.0::double precision '
                           'AS r%1$s', i), ', ')
           FROM generate_series(1, size) AS i),
        (SELECT string_agg(format('corr(r%s, r%s)', i, j), ', ' ORDER BY i, j)
           FROM generate_series(1, size) AS i, generate_series(i + 1, size) AS j))
      INTO used, rhos USING rank_correlations.most, rank_correlations.seed;
    RETURN QUERY
    SELECT rank_correlations.measures[i], rank_correlations.measures[j], round(u.rho::numeric, 12)::double precision,
           used, there
      FROM (SELECT i, j, row_number() OVER (ORDER BY i, j) AS place
              FROM generate_series(1, size) AS i, generate_series(i + 1, size) AS j) p
      JOIN unnest(rhos) WITH ORDINALITY AS u (rho, place) USING (place)
     ORDER BY place;
END
$$;
COMMENT ON FUNCTION public.rank_correlations(text[], integer, bigint) IS
    'Spearman''s rho between document measures, one row per pair; computed on a sample if more than most documents '
    'have all of them';
