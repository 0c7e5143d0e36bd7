-- rank_citations: compute citation_ranks: the percentile of each document's citations among documents of the same year,
-- and of the same year and fields. Returns the number of documents ranked.
--
--   percentile of a document in a set = 100 · (number cited less + half of the number cited equally, including itself)
--                                       / size of the set
--                                       (Hazen's plotting position, Trans. ASCE 77, 1914): above 0, below 100, with a
--                                           mean of 50
--   by_year     in the set of all documents of its year
--   by_field    mean of its percentiles in the sets of its year and each of its fields of study, weighted by their w;
--               the plain mean if a field has no w, or if none has a w above 0. Only fields with `at_least` documents
--               or more in that year; NULL if there are no such fields
--   percentile  by_field, else by_year
--
-- Citation counts cannot be compared directly: older documents have had more time to be cited, and fields differ in how
-- much they cite. Therefore each document is compared with those of the same year and field, by rank, because counts
-- are too skewed for a mean. A document in several fields gets the mean of its percentiles (Waltman, A review of the
-- literature on citation impact indicators, Journal of Informetrics 10(2), 2016, sections 5 and 6; Waltman & Schreiber,
-- On the calculation of percentile-based bibliometric indicators, JASIST 64(2), 2013, on ties).
--
-- at_least: minimum number of documents of a field in a year for a comparison within it; NULL is that of the last
-- ranking, or 30 before the first. as_of: year to which ages are
-- counted (credibility_as_of); NULL is the latest plausible year in the corpus. Documents without a plausible year or
-- n_citation get no row.
--
-- Concurrent calls wait for each other. Readers see the previous ranks until the commit.
-- Raises IR202 at_least below 1 or an invalid as_of, IR405 no document has a year and citations.
CREATE OR REPLACE FUNCTION rank_citations(at_least integer DEFAULT NULL, as_of integer DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET work_mem = '256MB'
SET jit = off
SET client_min_messages = warning
AS $$
#variable_conflict use_column
DECLARE
    newest integer;
    ranked bigint;
    blocks CONSTANT integer := 400;  -- of ranking_results at a time: some 50,000 rows, see store_rankings
BEGIN
    IF rank_citations.at_least < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('at_least is %s', rank_citations.at_least),
            HINT = 'at_least is the minimum number of documents of a field in a year, 1 or more.';
    ELSIF rank_citations.as_of NOT BETWEEN 1000 AND 9999 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('as_of is %s', rank_citations.as_of),
            HINT = 'as_of is a year of four digits, such as 2024; NULL is the latest in the corpus.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('rank_citations'), 0);
    IF rank_citations.at_least IS NULL THEN
        rank_citations.at_least := coalesce((SELECT b.least FROM credibility_basis b), 30);
    END IF;
    DROP TABLE IF EXISTS pg_temp.ranking_documents, pg_temp.ranking_fields, pg_temp.ranking_results;

    CREATE TEMP TABLE ranking_documents ON COMMIT DROP AS
    SELECT f.id, f.year, f.n_citation FROM dblp_facts f
     WHERE plausible_year(f.year) IS NOT NULL AND f.n_citation IS NOT NULL;
    SELECT count(*), max(year) INTO ranked, newest FROM pg_temp.ranking_documents;
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no document has a year and a number of citations',
            HINT = 'Load records with year and n_citation, such as those of dblp: stc load --as corpus.';
    END IF;
    -- Read dblp_facts again instead of the new table: PostgreSQL does not parse the JSON in parallel if the query reads
    -- a temporary table.
    CREATE TEMP TABLE ranking_fields ON COMMIT DROP AS
    SELECT f.id, f.year, f.n_citation, s.field COLLATE "C", s.weight
      FROM dblp_facts f JOIN dblp d ON d.id = f.id CROSS JOIN LATERAL fields_of_study(d.doc) s
     WHERE plausible_year(f.year) IS NOT NULL AND f.n_citation IS NOT NULL;
    ANALYZE pg_temp.ranking_documents, pg_temp.ranking_fields;

    CREATE TEMP TABLE ranking_results ON COMMIT DROP AS
    WITH years AS (
        SELECT d.id, 50 * (rank() OVER up_to - 1 + count(*) OVER up_to)
               / (count(*) OVER whole)::double precision AS percentile
          FROM pg_temp.ranking_documents d
        WINDOW whole AS (PARTITION BY d.year), up_to AS (PARTITION BY d.year ORDER BY d.n_citation)
    ), places AS (
        SELECT f.id, f.weight, count(*) OVER whole AS documents,
               50 * (rank() OVER up_to - 1 + count(*) OVER up_to)
                   / (count(*) OVER whole)::double precision AS percentile
          FROM pg_temp.ranking_fields f
        WINDOW whole AS (PARTITION BY f.field, f.year), up_to AS (PARTITION BY f.field, f.year ORDER BY f.n_citation)
    ), means AS (
        SELECT p.id,
               CASE WHEN count(p.weight) = count(*) AND sum(p.weight) > 0
                    THEN sum(p.weight * p.percentile) / sum(p.weight)
                    ELSE avg(p.percentile) END AS by_field,
               CASE WHEN count(p.weight) = count(*) AND sum(p.weight) > 0 THEN count(*) FILTER (WHERE p.weight > 0)
                    ELSE count(*) END AS fields
          FROM places p WHERE p.documents >= rank_citations.at_least
         GROUP BY p.id
    )
    SELECT y.id, y.percentile AS by_year, m.by_field, coalesce(m.by_field, y.percentile) AS percentile,
           coalesce(m.fields, 0) AS fields
      FROM years y LEFT JOIN means m ON m.id = y.id
     ORDER BY y.id;
    FOR block IN 0 .. pg_relation_size('pg_temp.ranking_results') / current_setting('block_size')::bigint BY blocks LOOP
        INSERT INTO citation_ranks AS r (id, by_year, by_field, percentile, fields)
        SELECT n.id, n.by_year, n.by_field, n.percentile, n.fields FROM pg_temp.ranking_results n
         WHERE n.ctid >= format('(%s,0)', block)::tid AND n.ctid < format('(%s,0)', block + blocks)::tid
        ON CONFLICT (id) DO UPDATE
           SET by_year = excluded.by_year, by_field = excluded.by_field, percentile = excluded.percentile,
               fields = excluded.fields
         WHERE (r.by_year, r.by_field, r.percentile, r.fields)
               IS DISTINCT FROM (excluded.by_year, excluded.by_field, excluded.percentile, excluded.fields);
    END LOOP;
    DELETE FROM citation_ranks r
     WHERE NOT EXISTS (SELECT FROM dblp_facts f
                        WHERE f.id = r.id AND plausible_year(f.year) IS NOT NULL AND f.n_citation IS NOT NULL);

    INSERT INTO credibility_basis AS b (single, as_of, least, documents, ranked)
    VALUES (true, coalesce(rank_citations.as_of, newest), rank_citations.at_least, ranked, clock_timestamp())
    ON CONFLICT (single) DO UPDATE
       SET as_of = excluded.as_of, least = excluded.least, documents = excluded.documents, ranked = excluded.ranked;
    RETURN ranked;
END
$$;
COMMENT ON FUNCTION rank_citations(integer, integer) IS
'Compute citation_ranks: percentile of citations within the year and within its fields; returns the number of '
'documents';
