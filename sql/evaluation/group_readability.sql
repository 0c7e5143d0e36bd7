-- group_readability: readability and credibility of the top documents of runs, one row per run, or per run and query if
-- by_query is true; unordered. Columns as in run_readability and query_readability.
--
-- Each document is looked up once, however many runs and queries rank it; the rankings are then joined with these
-- values. The median is computed from an array, which avoids sorting all rows. A run or query without documents has no
-- row. query is NULL if by_query is false.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 measure is not a grade level,
-- IR201 k below 1, IR405 no readability computed yet.
CREATE OR REPLACE FUNCTION group_readability(
    runs text[], k integer, edition text, measure text, by_query boolean, query_set text DEFAULT 'all')
RETURNS TABLE (
    run integer, query integer, queries bigint, documents bigint, measured bigint, listing bigint,
    refs double precision, vocabulary double precision, long_ratio double precision, complex_ratio double precision,
    fkgl double precision, fkgl_median double precision, citations double precision,
    citation_percentile double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    levels CONSTANT text[] := '{textstat_fkgl,cmu_fkgl}';
    run_ids CONSTANT integer[] := run_keys(group_readability.runs);
    query_ids integer[];
BEGIN
    IF group_readability.k IS NULL OR group_readability.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(group_readability.k::text, 'NULL')),
            HINT = 'k is the number of documents per query; it must be 1 or more.';
    ELSIF group_readability.measure IS NULL OR group_readability.measure <> ALL (levels) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108',
            MESSAGE = format('%s is not a grade-level measure',
                             coalesce(quote_literal(group_readability.measure), 'NULL')),
            HINT = concat('Did you mean ' || quote_literal(nearest_name(group_readability.measure, levels)) || '? ',
                          'Use ', array_to_string(levels, ' or '), '.');
    END IF;
    IF group_readability.edition IS NULL THEN
        query_ids := query_set_ids(group_readability.query_set);
    ELSE
        query_ids := (evaluation_keys('{}', group_readability.edition, '{1}', group_readability.query_set)).query_ids;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM st1_complexity_metrics LIMIT 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no readability has been computed',
            HINT = 'Compute it for all abstracts with ''stc complexity compute''.';
    END IF;
    RETURN QUERY
    WITH ranked AS NOT MATERIALIZED (
        SELECT l.run, l.query, unnest(l.docs[:group_readability.k - l.first + 1]) AS doc
          FROM ranked_lists l
         WHERE l.run = ANY (run_ids) AND l.query = ANY (query_ids) AND l.first <= group_readability.k),
    facts AS MATERIALIZED (
        SELECT d.doc, f.n_reference, f.n_citation, c.percentile, m.read_tok IS NOT NULL AS measured, m.read_wordtypes,
               m.read_long_words / m.read_tok AS long_ratio, m.read_complex_words / m.read_tok AS complex_ratio,
               CASE group_readability.measure WHEN 'cmu_fkgl' THEN m.cmu_fkgl ELSE m.textstat_fkgl END AS level
          FROM (SELECT DISTINCT doc FROM ranked) d
          LEFT JOIN dblp_facts f ON f.id = d.doc
          LEFT JOIN citation_ranks c ON c.id = d.doc
          LEFT JOIN st1_complexity_metrics m ON m.id = d.doc AND m.read_tok > 0),
    counted AS (  -- separate, because count(DISTINCT) below would sort all rows
        SELECT q.run, count(*) AS queries
          FROM (SELECT DISTINCT run, query FROM ranked WHERE NOT group_readability.by_query) q
         GROUP BY q.run),
    grouped AS (
        SELECT r.run, CASE WHEN group_readability.by_query THEN r.query END AS one, count(*) AS documents,
               count(*) FILTER (WHERE f.measured) AS measured, count(f.n_reference) AS listing,
               avg(f.n_reference::double precision) AS refs, avg(f.read_wordtypes) AS vocabulary,
               avg(f.long_ratio) AS long_ratio,
               avg(f.complex_ratio) AS complex_ratio, avg(f.level) AS fkgl, array_agg(f.level) AS levels,
               avg(f.n_citation::double precision) AS citations, avg(f.percentile) AS citation_percentile
          FROM ranked r JOIN facts f USING (doc)
         GROUP BY r.run, one)
    SELECT g.run, g.one, coalesce(c.queries, 1), g.documents, g.measured, g.listing, g.refs, g.vocabulary, g.long_ratio,
           g.complex_ratio,
           g.fkgl, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY level) FROM unnest(g.levels) AS level),
           g.citations,
           g.citation_percentile
      FROM grouped g LEFT JOIN counted c USING (run);
END
$$;
COMMENT ON FUNCTION group_readability(text[], integer, text, text, boolean, text) IS
    'Readability and credibility of the first k documents per run, or per run and query; runs and queries are keys';
