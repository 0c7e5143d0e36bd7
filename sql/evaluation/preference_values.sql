-- preference_values: measures of preference_scores for several runs and one query, one row per run.
--
-- place orders the judged documents of the query as in the run, equal scores by ascending docno (trec_eval 9 breaks
-- ties so for preferences, and in the opposite order for all other measures). Documents not retrieved follow, by docno.
-- A preference is satisfied if the better document is retrieved and precedes the worse one, retrieved or not.
--
-- prefs_avgjg_Rnonrel needs equal numbers of non-relevant (level 0) and relevant documents, R, in a group. If there are
-- fewer non-relevant ones, the missing ones are added at the end of the ranking. If there are more, the first R are
-- kept (kept). Then trec_eval also compares every non-relevant document with each of the R, itself included, unless the
-- group has several subgroups; this function does the same (own, own_ful). A ratio 0/0 in one group makes the value 0.
--
-- Pairs of documents are enumerated only where their identity matters: for partial groups, and for several groups,
-- which may share a pair. Otherwise documents not retrieved are counted by level (units).
--
-- All values are keys; the caller has checked the arguments.
CREATE OR REPLACE FUNCTION preference_values(edition integer, query integer, runs integer[], judgments text)
RETURNS TABLE (run integer, poss double precision, ful double precision, ful_ret double precision,
               simp double precision, pair double precision, avgjg double precision, rnonrel double precision,
               simp_ret double precision, pair_ret double precision, avgjg_ret double precision,
               rnonrel_ret double precision,
               simp_imp double precision, pair_imp double precision, avgjg_imp double precision)
LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path = stc_all, stc, public, pg_temp SET enable_nestloop = off SET jit = off AS $$
    WITH levels AS MATERIALIZED (
        SELECT l.annotator, l.doc, max(l.rel) AS rel, min(l.subgroup) AS low, max(l.subgroup) AS high
          FROM preference_levels(preference_values.edition, preference_values.query, preference_values.judgments) l
         GROUP BY l.annotator, l.doc),
    documents AS (SELECT d.id AS doc, d.docno FROM dblp d WHERE d.id IN (SELECT l.doc FROM levels l)),
    places AS (
        SELECT r.run, d.doc, k.doc IS NOT NULL AS ret,
               row_number() OVER (PARTITION BY r.run
                                  ORDER BY k.doc IS NULL, trec_score(k.rel_score) DESC, d.docno) AS place
          FROM unnest(preference_values.runs) AS r (run) CROSS JOIN documents d
          LEFT JOIN st1_rankings k ON k.run = r.run AND k.query = preference_values.query AND k.doc = d.doc),
    placed AS (  -- last: the document has the lowest level of the group, the non-relevant level if the group has one
        SELECT p.run, l.annotator, l.doc, l.rel AS rel_level, p.place, p.ret, l.last, l.partial,
               row_number() OVER (PARTITION BY p.run, l.annotator, l.last ORDER BY p.place) AS number,
               count(*) FILTER (WHERE l.rel > 0) OVER grp AS rel,
               count(*) FILTER (WHERE l.rel > 0 AND p.ret) OVER grp AS rel_ret,
               count(*) FILTER (WHERE l.rel <= 0) OVER grp AS non,
               count(*) FILTER (WHERE l.rel <= 0 AND p.ret) OVER grp AS non_ret
          FROM (SELECT l.annotator, l.doc, l.rel, l.rel = min(l.rel) OVER grp AS last,
                       min(l.low) OVER grp <> max(l.high) OVER grp AS partial
                  FROM levels l WINDOW grp AS (PARTITION BY l.annotator)) l
          JOIN places p ON p.doc = l.doc
        WINDOW grp AS (PARTITION BY p.run, l.annotator)),
    judged AS MATERIALIZED (
        SELECT p.*, NOT p.last OR p.number <= p.rel AS kept,
               NOT p.last OR p.number <= CASE WHEN p.partial THEN p.rel ELSE p.rel_ret END AS kept_ret
          FROM placed p),
    sizes AS (
        SELECT j.run, j.annotator, j.partial, j.rel, j.rel_ret, j.non, j.non_ret,
               count(*) FILTER (WHERE j.last) AS last, count(*) FILTER (WHERE j.last AND j.ret) AS last_ret
          FROM judged j GROUP BY 1, 2, 3, 4, 5, 6, 7),
    units AS MATERIALIZED (
        SELECT j.run, j.annotator, j.rel_level, j.ret, j.kept, j.kept_ret, min(j.place) AS place, count(*) AS n
          FROM judged j WHERE NOT j.partial
         GROUP BY j.run, j.annotator, j.rel_level, j.ret, j.kept, j.kept_ret, CASE WHEN j.ret THEN j.place END),
    pairs AS MATERIALIZED (  -- by document, if a group is partial or if several groups can share a pair
        SELECT b.run, b.annotator, b.partial, least(b.doc, w.doc) AS one, greatest(b.doc, w.doc) AS other,
               b.ret AND b.place < w.place AS ful, b.ret AND w.ret AS ret, b.ret OR w.ret AS imp,
               b.kept AND w.kept AS kept, b.kept_ret AND w.kept_ret AS kept_ret
          FROM preference_pairs(preference_values.edition, preference_values.query, preference_values.judgments) p
          JOIN judged b ON b.annotator = p.annotator AND b.doc = p.better
          JOIN judged w ON w.annotator = p.annotator AND w.doc = p.worse AND w.run = b.run
         WHERE (SELECT min(l.annotator) <> max(l.annotator) OR min(l.low) <> max(l.high) FROM levels l)),
    counted AS (
        SELECT p.run, p.annotator, sum(p.n)::bigint AS poss, sum(p.n) FILTER (WHERE p.ful)::bigint AS ful,
               sum(p.n) FILTER (WHERE p.ret)::bigint AS poss_ret,
               sum(p.n) FILTER (WHERE p.ret AND p.ful)::bigint AS ful_ret,
               sum(p.n) FILTER (WHERE p.imp)::bigint AS poss_imp,
               sum(p.n) FILTER (WHERE p.kept)::bigint AS poss_kept,
               sum(p.n) FILTER (WHERE p.kept AND p.ful)::bigint AS ful_kept,
               sum(p.n) FILTER (WHERE p.kept_ret AND p.ret)::bigint AS poss_kept_ret,
               sum(p.n) FILTER (WHERE p.kept_ret AND p.ret AND p.ful)::bigint AS ful_kept_ret
          FROM (SELECT b.run, b.annotator, b.n * w.n AS n, b.ret AND b.place < w.place AS ful, b.ret AND w.ret AS ret,
                       b.ret OR w.ret AS imp, b.kept AND w.kept AS kept, b.kept_ret AND w.kept_ret AS kept_ret
                  FROM units b JOIN units w ON w.run = b.run AND w.annotator = b.annotator AND w.rel_level < b.rel_level
                 UNION ALL
                SELECT p.run, p.annotator, 1, p.ful, p.ret, p.imp, p.kept, p.kept_ret FROM pairs p WHERE p.partial) p
         GROUP BY 1, 2),
    grouped AS (
        SELECT s.run, s.annotator, c.poss::double precision, c.ful, c.poss_ret::double precision, c.ful_ret,
               c.poss_imp::double precision,
               CASE WHEN s.rel >= s.non
                    THEN (coalesce(c.ful, 0) + s.rel_ret * (s.rel - s.non))
                         / nullif(coalesce(c.poss, 0) + s.rel * (s.rel - s.non), 0)::double precision
                    ELSE (coalesce(c.ful_kept, 0) + own.ful)
                        / nullif(coalesce(c.poss_kept, 0) + own.poss, 0)::double precision
               END AS rnonrel,
               CASE WHEN s.rel_ret >= s.non_ret
                    THEN (coalesce(c.ful_ret, 0) + s.rel_ret * (s.rel_ret - s.non_ret))
                         / nullif(coalesce(c.poss_ret, 0) + s.rel * (s.rel_ret - s.non_ret), 0)::double precision
                    ELSE (coalesce(c.ful_kept_ret, 0) + own.ful_ret)
                         / nullif(coalesce(c.poss_kept_ret, 0) + own.poss_ret, 0)::double precision
               END AS rnonrel_ret
          FROM sizes s LEFT JOIN counted c ON c.run = s.run AND c.annotator = s.annotator
         CROSS JOIN LATERAL (SELECT CASE WHEN s.partial THEN 0 ELSE least(s.rel, s.last) END AS k,
                                    CASE WHEN s.partial THEN 0 ELSE least(s.rel_ret, s.last_ret) END AS k_ret) x
         -- least(i, last_ret) summed over i < k: retrieved non-relevant documents before each of the k
         CROSS JOIN LATERAL (
               SELECT s.last * x.k AS poss, s.last_ret * x.k_ret AS poss_ret, x.k_ret * (x.k_ret - 1) / 2 AS ful_ret,
                      CASE WHEN x.k <= s.last_ret THEN x.k * (x.k - 1) / 2
                           ELSE s.last_ret * (s.last_ret + 1) / 2 + (x.k - 1 - s.last_ret)
                               * s.last_ret END AS ful) own),
    summed AS (
        SELECT g.run, count(*) AS groups, coalesce(sum(g.poss), 0) AS poss,
               coalesce(sum(g.ful), 0)::double precision AS ful,
               coalesce(sum(g.ful_ret), 0)::double precision AS ful_ret,
               sum(g.ful)::double precision / sum(g.poss) AS simp,
               sum(g.ful_ret)::double precision / nullif(sum(g.poss_ret), 0) AS simp_ret,
               sum(g.ful)::double precision / nullif(sum(g.poss_imp), 0) AS simp_imp,
               sum(g.ful / g.poss ORDER BY g.annotator) / count(*) AS avgjg,
               sum(g.ful_ret / nullif(g.poss_ret, 0) ORDER BY g.annotator) / count(*) AS avgjg_ret,
               sum(g.ful / nullif(g.poss_imp, 0) ORDER BY g.annotator) / count(*) AS avgjg_imp,
               CASE WHEN bool_and(g.rnonrel IS NOT NULL)
                    THEN sum(g.rnonrel ORDER BY g.annotator) / count(*) END AS rnonrel,
               CASE WHEN bool_and(g.rnonrel_ret IS NOT NULL)
                    THEN sum(g.rnonrel_ret ORDER BY g.annotator) / count(*) END AS rnonrel_ret
          FROM grouped g GROUP BY g.run),
    agreed AS (  -- pairs over all groups; with a single group, summed has the values already
        SELECT p.run, avg(p.share ORDER BY p.share) AS pair,
               avg(p.share ORDER BY p.share) FILTER (WHERE p.ret) AS pair_ret,
               avg(p.share ORDER BY p.share) FILTER (WHERE p.imp) AS pair_imp
          FROM (SELECT p.run, p.ret, p.imp, count(*) FILTER (WHERE p.ful) / count(*)::double precision AS share
                  FROM pairs p
                 WHERE (SELECT min(l.annotator) <> max(l.annotator) FROM levels l)
                 GROUP BY p.run, p.one, p.other, p.ret, p.imp) p
         GROUP BY p.run)
    SELECT s.run, s.poss, s.ful, s.ful_ret,
           coalesce(s.simp, 0), coalesce(a.pair, CASE s.groups WHEN 1 THEN s.simp END, 0), coalesce(s.avgjg, 0),
           coalesce(s.rnonrel, 0),
           coalesce(s.simp_ret, 0), coalesce(a.pair_ret, CASE s.groups WHEN 1 THEN s.simp_ret END, 0),
           coalesce(s.avgjg_ret, 0), coalesce(s.rnonrel_ret, 0),
           coalesce(s.simp_imp, 0), coalesce(a.pair_imp, CASE s.groups WHEN 1 THEN s.simp_imp END, 0),
           coalesce(s.avgjg_imp, 0)
      FROM summed s LEFT JOIN agreed a ON a.run = s.run
$$;
COMMENT ON FUNCTION preference_values(integer, integer, integer[], text) IS
    'Measures of preference_scores for several runs and one query, one row per run; all values are keys';
