-- judged_lists: ranks of the judged documents of an edition in runs, one row per run and query; all values are keys.
-- The caller has checked the arguments.
--
--   retrieved         number of documents the run ranks for the query; 0 if it has no ranking
--   relevant, grades  ranks of documents with a grade of 1 or more, ascending, and their grades
--   irrelevant        ranks of documents with grade 0, ascending
--   pooled            ranks of documents with a negative grade (pooled, not judged), ascending
--
--   parts  the arrays that the caller reads besides relevant, which may leave out others
--   by_subtopic  read the subtopic judgments instead (subtopic_lists): documents with a group have its number as grade
--   depth  the largest rank at which the caller needs judged documents, NULL for all; those below it may be omitted
--
-- Rows stored by judge_runs are used if the caller may read them and if they match the current versions of the edition,
-- the run and the code (score_code). The rest is looked up as follows.
--
-- The ranked lists of the runs are joined with the judged documents of each query. So the rows read from a run do not
-- reveal which of its documents are judged (asked_scores). The results form one sorted array of places per query,
--
--   place = run · 2^48 + (2 relevant, 1 irrelevant, 0 pooled) · 2^46 + rank · 2^15 + grade
--           (run modulo 2^16, a batch)
--
-- in which the documents of a run are adjacent and ordered by kind and rank; binary search (width_bucket) finds their
-- start and end. Ranks are 1, 2, 3, …, so the last one equals retrieved; if counted is false, retrieved may be NULL.
--
-- rules: 'trec_eval 9' uses the stored ranks; 'trec_eval 10' computes them from scores in double precision.
--
-- Only judged documents are searched for their rank (array_position), because each column of a row that unnest returns
-- takes time, and few documents are judged.
--
-- The settings fix the plan even without statistics: index scans, nested loops only where one level needs the other,
-- hashing otherwise. OFFSET 0 makes PostgreSQL compute a level once instead of at each reference.
CREATE OR REPLACE FUNCTION judged_lists(edition integer, queries integer[], runs integer[], rules text, counted boolean,
                                        parts text[] DEFAULT '{grades,irrelevant,pooled}',
                                        depth integer DEFAULT NULL, by_subtopic boolean DEFAULT false)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_generic_plan
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_nestloop = off
SET enable_mergejoin = off
SET enable_sort = off
SET enable_incremental_sort = off
SET enable_memoize = off
AS $$
#variable_conflict use_column
DECLARE
    stored integer[];
    missing integer[];
    batch integer[];
    graded CONSTANT boolean := 'grades' = ANY (judged_lists.parts);
    lowest CONSTANT smallint := CASE WHEN 'pooled' = ANY (judged_lists.parts) THEN -32768
                                     WHEN 'irrelevant' = ANY (judged_lists.parts) THEN 0 ELSE 1 END;
    deepest CONSTANT integer := coalesce(judged_lists.depth, 2147483647);
BEGIN
    IF judged_lists.rules = 'trec_eval 10' THEN
        RETURN QUERY
        SELECT r.run, q.query, k.retrieved, coalesce(k.relevant, '{}'), coalesce(k.grades, '{}'),
               coalesce(k.irrelevant, '{}'), coalesce(k.pooled, '{}')
          FROM unnest(judged_lists.runs) AS r (run) CROSS JOIN unnest(judged_lists.queries) AS q (query)
         CROSS JOIN LATERAL (
               SELECT count(*)::integer AS retrieved,
                      array_agg(o.rank ORDER BY o.rank) FILTER (WHERE j.rel > 0) AS relevant,
                      array_agg(j.rel ORDER BY o.rank) FILTER (WHERE j.rel > 0) AS grades,
                      array_agg(o.rank ORDER BY o.rank) FILTER (WHERE j.rel = 0) AS irrelevant,
                      array_agg(o.rank ORDER BY o.rank) FILTER (WHERE j.rel < 0) AS pooled
                 FROM (SELECT k.doc, row_number() OVER (ORDER BY k.rel_score DESC, d.docno DESC)::integer AS rank
                         FROM st1_rankings k JOIN dblp d ON d.id = k.doc WHERE k.run = r.run AND k.query = q.query) o
                 LEFT JOIN (SELECT g.doc, g.rel FROM qrels g
                             WHERE NOT judged_lists.by_subtopic AND g.edition = judged_lists.edition
                               AND g.query = q.query
                             UNION ALL
                            SELECT m.doc, g.number FROM subtopic_groups(judged_lists.edition, q.query, true) g
                             CROSS JOIN LATERAL unnest(g.docs) AS m (doc)
                             WHERE judged_lists.by_subtopic) j ON j.doc = o.doc) k;
        RETURN;
    END IF;

    stored := '{}';
    IF NOT judged_lists.by_subtopic AND reads_stored_scores() THEN
        stored := ARRAY(SELECT g.run FROM judged_runs g
                          JOIN st1_runs n ON n.id = g.run AND n.version = g.run_version
                          JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version
                         WHERE g.edition = judged_lists.edition AND g.run = ANY (judged_lists.runs)
                           AND g.code = (SELECT score_code()));
    END IF;
    IF cardinality(stored) > 0 THEN
        RETURN QUERY
        SELECT k.run, k.query, k.retrieved, k.relevant, k.grades, k.irrelevant, k.pooled FROM judged_rankings k
         WHERE k.edition = judged_lists.edition AND k.query = ANY (judged_lists.queries) AND k.run = ANY (stored);
    END IF;
    missing := ARRAY(SELECT id FROM unnest(judged_lists.runs) AS id WHERE id <> ALL (stored));
    FOR batch IN SELECT array_agg(id) FROM unnest(missing) AS id GROUP BY id >> 16 LOOP
        RETURN QUERY
        SELECT part.run, wanted.query,
               CASE WHEN judged_lists.counted THEN coalesce((
                   SELECT l.first - 1 + cardinality(l.docs) FROM ranked_lists l
                    WHERE l.run = part.run AND l.query = wanted.query
                    ORDER BY l.run DESC, l.query DESC, l.first DESC LIMIT 1), 0) END,
               ARRAY(SELECT (unnest(found.places[part.irrelevant + 1:part.relevant]) >> 15 & 2147483647)::integer),
               CASE WHEN graded THEN
                   ARRAY(SELECT (unnest(found.places[part.irrelevant + 1:part.relevant]) & 32767)::smallint) END,
               ARRAY(SELECT (unnest(found.places[part.pooled + 1:part.irrelevant]) >> 15 & 2147483647)::integer),
               ARRAY(SELECT (unnest(found.places[part.low + 1:part.pooled]) >> 15 & 2147483647)::integer)
          FROM unnest(judged_lists.queries) AS wanted (query)
         CROSS JOIN LATERAL (
               SELECT array_agg(j.doc) AS docs,
                      array_agg((1 + sign(j.rel)::bigint << 46) | greatest(j.rel, 0)) AS classes
                 FROM qrels j
                WHERE NOT judged_lists.by_subtopic AND j.edition = judged_lists.edition AND j.query = wanted.query
                  AND j.rel >= lowest
               HAVING NOT judged_lists.by_subtopic
                UNION ALL
               SELECT array_agg(m.doc), array_agg((1 + sign(g.number)::bigint << 46) | g.number)
                 FROM subtopic_groups(judged_lists.edition, wanted.query, lowest <= 0) g
                CROSS JOIN LATERAL unnest(g.docs) AS m (doc)
                WHERE judged_lists.by_subtopic
               HAVING judged_lists.by_subtopic) judged
         CROSS JOIN LATERAL (
               SELECT ARRAY(
                      SELECT (k.run::bigint << 48) | j.class
                             | ((k.first - 1 + array_position(k.docs, k.doc))::bigint << 15)
                        FROM (SELECT l.run, l.first, l.docs, unnest(CASE WHEN judged_lists.depth IS NULL THEN l.docs
                                                                  ELSE l.docs[:deepest - l.first + 1] END) AS doc
                                FROM ranked_lists l
                               WHERE l.query = wanted.query AND l.run = ANY (batch) AND l.first <= deepest OFFSET 0) k
                        JOIN unnest(judged.docs, judged.classes) AS j (doc, class) ON j.doc = k.doc
                       ORDER BY 1) AS places OFFSET 0) found
         CROSS JOIN LATERAL (
               SELECT r.run, width_bucket(r.base, found.places) AS low,
                      width_bucket(r.base + (1::bigint << 46), found.places) AS pooled,
                      width_bucket(r.base + (2::bigint << 46), found.places) AS irrelevant,
                      width_bucket(r.base + ((1::bigint << 48) - 1), found.places) AS relevant
                 FROM (SELECT run, run::bigint << 48 AS base FROM unnest(batch) AS run OFFSET 0) r
               OFFSET 0) part;
    END LOOP;
END
$$;
COMMENT ON FUNCTION judged_lists(integer, integer[], integer[], text, boolean, text[], integer, boolean) IS
    'Ranks and grades of the judged documents of runs, one row per run and query; uses stored rows if they are '
    'current';
