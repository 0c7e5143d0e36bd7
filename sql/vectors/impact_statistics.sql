-- impact_statistics: the scale of impact_text for the vectors of a field, and the inverse document frequencies of their
-- terms as pg_textsearch computes them, from a sample of 10,000 vectors.
--
--   idf(t) = ln(1 + (n - df + 0.5) / (df + 0.5)) of n sampled documents, of which df have t in their text
--
-- The scale maps the mean of the highest weights to a score of 2.8, a frequency of 3 or 4. A weight below a fifth of
-- it is omitted. A higher scale costs more time than the candidates become better.
-- idf is by number of the term, from 1, up to 131,072: terms of words are numbered as they occur, so later ones are
-- rare.
CREATE OR REPLACE FUNCTION impact_statistics(relation name, field text, OUT scale real, OUT idf real[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    EXECUTE format(
        $sql$
        WITH pairs AS MATERIALIZED (
            SELECT s.id, split_part(p.pair, ':', 1)::integer AS term, split_part(p.pair, ':', 2)::real AS weight
              FROM (SELECT v.id FROM %2$I v WHERE v.%1$I IS NOT NULL ORDER BY hashint8(v.id), v.id LIMIT 10000) s
              JOIN %2$I v ON v.id = s.id
             CROSS JOIN LATERAL string_to_table(nullif(trim('{' FROM split_part(v.%1$I::text, '}', 1)), ''), ',')
                   p (pair)),
        texts AS (SELECT avg(w.highest) AS mean, count(*) AS n
                    FROM (SELECT max(p.weight) AS highest FROM pairs p GROUP BY p.id) w),
        counted AS (SELECT p.term, count(*) AS df FROM pairs p, texts t
                     WHERE 2.8 * p.weight / t.mean >= 0.524 GROUP BY p.term)
        SELECT 2.8 / t.mean,
               ARRAY(SELECT ln(1 + (t.n - coalesce(c.df, 0) + 0.5) / (coalesce(c.df, 0) + 0.5))
                       FROM generate_series(1, least(131072, (SELECT max(p.term) FROM pairs p))) g (term)
                       LEFT JOIN counted c USING (term) ORDER BY g.term)
          FROM texts t$sql$, vector_column(impact_statistics.field), impact_statistics.relation)
       INTO scale, idf;
END
$$;
COMMENT ON FUNCTION impact_statistics(name, text) IS
'Scale of impact_text and inverse document frequencies of the terms, from a sample of the vectors';
