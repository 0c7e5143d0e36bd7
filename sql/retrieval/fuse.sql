-- fuse: rank fusion for one query: the k documents with the highest sum over the given rankings (fusion_part has the
-- formulas, their sources, and the treatment of documents that a ranking lacks).
--
--   SELECT * FROM fuse((SELECT array_agg(('bm25', doc, score, rank)::ranked) FROM bm25_search('fake news', 1000))
--                   || (SELECT array_agg(('boolean', doc, score, rank)::ranked) FROM boolean_search('fake news',
--                       1000)), 10, 'sum');
--
-- method   rrf: reciprocal ranks; sum: sum of normalised scores; mnz: that sum times the number of rankings with the
--          document
-- norm     minmax, zscore, rank or none: for sum and mnz
-- weights  {"bm25": 0.4, "boolean": 0.6}: one per ranking; a weight of 0 omits a ranking and the documents that only it
--          contains; names of rankings without results are allowed. NULL is 1 for each: CombSUM, CombMNZ.
-- constant the constant of rrf
--
-- Ordered by score descending, equal scores by docno descending as bytes, also at rank k. The parts of a sum are added
-- in a fixed order, so that equal sums are equal. No rows if there are no rankings (NULL, or empty).
-- Raises IR201 k below 1; IR202 method, norm, constant, weights (fusion_check, fusion_weights), or an invalid row: no
-- ranking or document, a document twice in a ranking, a score that is not finite in single precision or a rank below 1
-- where these are used.
CREATE OR REPLACE FUNCTION public.fuse(
    rankings ranked[], k integer DEFAULT 100, method text DEFAULT 'rrf', norm text DEFAULT 'minmax',
    weights jsonb DEFAULT NULL,
    constant integer DEFAULT 60
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off  -- compiling takes longer than most fusions
AS $$
#variable_conflict use_column
DECLARE
    by_rank CONSTANT boolean := fuse.method = 'rrf' OR fuse.norm = 'rank';
    bad record;
    names text[];
    factors double precision[];
    docs bigint[];
    scores double precision[];
    equal bigint[];
    names_of_equal text[];
BEGIN
    PERFORM check_k(fuse.k);
    PERFORM fusion_check(fuse.method, fuse.norm, fuse.constant);
    SELECT r.ranking, r.doc, count(*) AS times INTO bad
      FROM unnest(fuse.rankings) r
     GROUP BY r.ranking, r.doc
    HAVING count(*) > 1 OR r.ranking IS NULL OR r.doc IS NULL
        OR NOT CASE WHEN by_rank THEN coalesce(min(r.rank) >= 1, false)
                    ELSE coalesce(abs(min(r.score)) < 3.4028235677973366e38, false) END
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = CASE WHEN bad.ranking IS NULL OR bad.doc IS NULL
                           THEN 'a row lacks the name of its ranking or its document'
                           WHEN bad.times > 1 THEN format('the ranking %s contains document %s %s', bad.ranking,
                                                          bad.doc, counted(bad.times, 'time'))
                           WHEN by_rank THEN format('document %s has no rank of 1 or more in the ranking %s', bad.doc,
                                                    bad.ranking)
                           ELSE format('document %s has no finite score in the ranking %s', bad.doc, bad.ranking) END,
            HINT = 'A row is (ranking, doc, score, rank)::ranked, with each document once per ranking. rrf uses ranks, '
                         'sum and mnz use scores.';
    END IF;
    names := ARRAY(SELECT DISTINCT r.ranking FROM unnest(fuse.rankings) r);
    factors := fusion_weights(names, fuse.weights, more => true);
    WITH given AS (
        SELECT w.name, w.weight, min(r.score) AS lowest, max(r.score) AS highest, stddev_pop(r.score) AS deviation,
               count(*) AS n
          FROM unnest(names, factors) w (name, weight) JOIN unnest(fuse.rankings) r ON r.ranking = w.name
         WHERE w.weight > 0
         GROUP BY w.name, w.weight),
    best AS (
        SELECT p.doc, sum(p.part ORDER BY p.part DESC) * CASE fuse.method WHEN 'mnz' THEN count(*) ELSE 1 END AS score
          FROM (SELECT r.doc, fusion_part(fuse.method, fuse.norm, g.weight, r.score, r.rank, g.lowest, g.highest,
                                          g.deviation, g.n,
                                          fuse.constant) AS part
                  FROM unnest(fuse.rankings) r JOIN given g ON g.name = r.ranking) p
         GROUP BY p.doc
         ORDER BY 2 DESC
         FETCH FIRST fuse.k ROWS WITH TIES)
    SELECT array_agg(b.doc ORDER BY b.score DESC), array_agg(b.score ORDER BY b.score DESC) INTO docs, scores
      FROM best b;
    -- Only tied documents need their docno.
    equal := ARRAY(SELECT u.doc FROM unnest(docs, scores) WITH ORDINALITY u (doc, score, place)
                    WHERE u.score IN (scores[u.place - 1], scores[u.place + 1]));
    IF equal <> '{}' THEN
        names_of_equal := docnos(equal);
    END IF;
    RETURN QUERY
    SELECT u.doc, u.score,
           row_number() OVER (ORDER BY u.score DESC, t.docno COLLATE "C" DESC NULLS LAST, u.doc DESC)::integer
      FROM unnest(docs, scores) u (doc, score) LEFT JOIN unnest(equal, names_of_equal) t (id, docno) ON t.id = u.doc
     ORDER BY 3 LIMIT fuse.k;
END
$$;
COMMENT ON FUNCTION public.fuse(ranked[], integer, text, text, jsonb, integer) IS
'Rank fusion of several rankings of a query: reciprocal rank fusion, weighted sum or CombMNZ of normalised scores';
