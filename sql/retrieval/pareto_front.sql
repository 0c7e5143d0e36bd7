-- pareto_front: the Pareto fronts of the first k documents of a query by relevance, readability and credibility. A
-- document is dominated if another one is at least as good by every measure and better by one (pareto_fronts). Ordered
-- by front, then by rank.
--
--   SELECT front, rank, docno, measured, title FROM pareto_front('D02.C1', run => 'hybrid') WHERE front = 1;
--   SELECT front, rank, docno, measured, title FROM pareto_front('how do voice assistants listen', system => 'bm25',
--       fronts => 1);
--
-- query     with run: name of a stored query, ranked as in that run. Without run: the text of the query, which system
--           ranks (system_search, also for query_vector and model)
-- k         number of documents to compare: the first k, or with a filter (filter_condition) the first k that match
-- measures  one or more of combine_measures, in their directions; name:more and name:less set the direction, as
--           age:more
-- front     1 for documents that none dominates, 2 for those that none dominates after front 1 is removed, and so on;
--           fronts: the last front to return, NULL all
-- measured  values in the order of the measures; NULL if unknown, which is worse than any value
--
-- docs, scores: the ranking, best first, if the caller has it already, as for search_page; then nothing is searched.
--
-- Equal documents do not dominate each other. Measures are compared without weights and transforms, so there is nothing
-- to tune.
-- Raises IR101 no such run, IR103 no such query, IR107 no such system, IR108 no such measure, IR201 k or fronts below
-- 1, IR202 no measure, a repeated one, or an invalid direction; the errors of filter_condition and system_search.
CREATE OR REPLACE FUNCTION public.pareto_front(
    query text, k integer DEFAULT 100, measures text[] DEFAULT '{relevance,textstat_fkgl,citation_percentile}',
    run text DEFAULT NULL,
    system text DEFAULT 'hybrid', fronts integer DEFAULT NULL, query_vector vector DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, docs bigint[] DEFAULT NULL, scores double precision[] DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer, front integer, measured double precision[], docno text,
               title text)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    names CONSTANT text[] := ARRAY(SELECT split_part(u.name, ':', 1)
                                     FROM unnest(pareto_front.measures) WITH ORDINALITY u (name, i) ORDER BY u.i);
    signs double precision[];
    bad text;
    run_id integer;
    query_id integer;
    chosen bigint[];
    docs bigint[] := pareto_front.docs;
    scores double precision[] := pareto_front.scores;
    ranks integer[] := ARRAY(SELECT generate_subscripts(pareto_front.docs, 1));
BEGIN
    PERFORM combine_check(names);
    SELECT u.name INTO bad FROM unnest(pareto_front.measures) u (name)
     WHERE u.name !~ '^[^:]*(:more|:less)?$' LIMIT 1;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the direction of %s must be more or less', left(bad, 80)),
            HINT = 'Write age:more, or omit the direction to use that of the measure.';
    ELSIF pareto_front.k IS NULL OR pareto_front.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(pareto_front.k::text, 'NULL')),
            HINT = 'k must be 1 or more.';
    ELSIF pareto_front.fronts < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('fronts is %s', pareto_front.fronts),
            HINT = 'fronts must be 1 or more.';
    END IF;
    SELECT array_agg(CASE split_part(u.name, ':', 2) WHEN 'more' THEN 1 WHEN 'less' THEN -1
                          ELSE CASE WHEN e.more THEN 1 ELSE -1 END END
                     ORDER BY u.i) INTO signs
      FROM unnest(pareto_front.measures) WITH ORDINALITY u (name, i)
      JOIN combine_measures() e ON e.measure = split_part(u.name, ':', 1);
    IF pareto_front.run IS NOT NULL THEN
        run_id := (run_keys(ARRAY[pareto_front.run]))[1];
        SELECT q.id INTO query_id FROM st1_queries q WHERE q.query = pareto_front.query COLLATE "C";
        IF NOT FOUND THEN
            bad := left(pareto_front.query, 80);
            RAISE EXCEPTION USING ERRCODE = 'IR103',
                MESSAGE = format('no query %s', coalesce(quote_literal(bad), 'NULL')),
                HINT = concat('Did you mean ' || quote_literal(
                                                               nearest_name(bad,
                                                                            ARRAY(SELECT q.query
                                                                                    FROM st1_queries q))) || '? ',
                              'With a run, give the name of a stored query; without a run, give its text.');
        END IF;
        IF filter_condition(pareto_front.filter) IS NOT NULL THEN
            chosen := coalesce(filter_docs(CASE WHEN pareto_front.filter ? 'judged'
                                                AND NOT pareto_front.filter ? 'query'
                THEN pareto_front.filter || jsonb_build_object('query', pareto_front.query)
                    ELSE pareto_front.filter END), '{}');
        END IF;
        SELECT array_agg(f.doc), array_agg(f.rel_score), array_agg(f.rank) INTO docs, scores, ranks
          FROM (SELECT r.doc, r.rel_score, r.rank FROM st1_rankings r
                 WHERE r.run = run_id AND r.query = query_id AND (chosen IS NULL OR r.doc = ANY (chosen))
                 ORDER BY r.rank LIMIT pareto_front.k) f;
    ELSIF docs IS NULL THEN
        SELECT array_agg(s.doc), array_agg(s.score), array_agg(s.rank) INTO docs, scores, ranks
          FROM system_search(pareto_front.query, pareto_front.system, pareto_front.k, pareto_front.query_vector,
                             pareto_front.filter, pareto_front.model) s;
    END IF;
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT u.doc, u.score, u.rank FROM unnest(docs, scores, ranks) u (doc, score, rank)),
    told AS MATERIALIZED (
        SELECT r.doc, r.score, r.rank, row_number() OVER (ORDER BY r.rank) AS place,
               ARRAY(SELECT CASE u.name WHEN 'relevance' THEN r.score ELSE u.value END
                       FROM unnest(names, v.measured) WITH ORDINALITY u (name, value, i) ORDER BY u.i) AS measured
          FROM ranked r JOIN combine_values(ARRAY(SELECT x.doc FROM ranked x), names) v ON v.doc = r.doc),
    sorted AS (
        SELECT pareto_fronts(array_agg(u.value * signs[u.i] ORDER BY t.place, u.i), cardinality(names)) AS fronts
          FROM told t CROSS JOIN LATERAL unnest(t.measured) WITH ORDINALITY u (value, i)),
    shown AS MATERIALIZED (
        SELECT d.id, d.docno, x.title FROM dblp d LEFT JOIN dblp_text x ON x.id = d.id WHERE d.id = ANY (docs))
    SELECT t.doc, t.score, t.rank, f.front, t.measured, w.docno, w.title
      FROM sorted s
     CROSS JOIN LATERAL unnest(s.fronts) WITH ORDINALITY f (front, place)
      JOIN told t ON t.place = f.place
      JOIN shown w ON w.id = t.doc
     WHERE pareto_front.fronts IS NULL OR f.front <= pareto_front.fronts
     ORDER BY f.front, t.rank;
END
$$;
COMMENT ON FUNCTION public.pareto_front(text, integer, text[], text, text, integer, vector, jsonb, text, bigint[],
                                        double precision[]) IS
'Pareto fronts of the first k documents of a query by relevance, readability and credibility; front 1 is not '
'dominated';
