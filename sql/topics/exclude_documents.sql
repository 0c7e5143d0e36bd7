-- exclude_documents: set the documents that are left out for queries: they are not searched, stored in runs, pooled or
-- scored for these queries. Queries that are not named do not change.
--
-- Queries that were taken from documents need this, or each finds its own document first. ArguAna leaves out the
-- argument itself, BRIGHT a list per query (excluded_ids), and so do collections of citation contexts.
--
-- The arrays are parallel: a query and the docno of a document, one element per pair; a query with a docno of NULL has
-- none. lines: where each pair comes from ("excluded.tsv:12"), used in messages. queries, documents: number of queries
-- named, and of their documents. unknown: pairs whose document is not stored, which are not kept. judged: pairs that a
-- visible edition judges relevant; the judgments stay.
--
-- Runs that rank such a document lose it, and the documents below it move up (runs: how many). file_rank stays. No run
-- is stored meanwhile, because the lock on ranked_lists conflicts with INSERT.
-- Raises IR103 no such query.
CREATE OR REPLACE FUNCTION exclude_documents(
    query text[], docno text[], lines text[] DEFAULT NULL, OUT queries bigint, OUT documents bigint,
    OUT unknown bigint, OUT judged bigint, OUT runs bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_excluded, pg_temp.lists_without;
    CREATE TEMP TABLE incoming_excluded ON COMMIT DROP AS
        SELECT i.query, q.id, i.docno, d.id AS doc, i.line, i.place
          FROM unnest(exclude_documents.query, exclude_documents.docno, exclude_documents.lines)
               WITH ORDINALITY AS i (query, docno, line, place)
          LEFT JOIN st1_queries q ON q.query = i.query COLLATE "C"
          LEFT JOIN dblp d ON d.docno = i.docno COLLATE "C";
    SELECT i.*, count(*) OVER () AS others INTO bad FROM pg_temp.incoming_excluded i WHERE i.id IS NULL
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = concat(bad.line || ': ', format('there is no query %L', bad.query),
                             CASE WHEN bad.others > 1 THEN format(', and %s more are not stored', bad.others - 1) END),
            HINT = 'Load queries with ''stc load --as topics''. Nothing was stored.';
    END IF;
    SELECT count(DISTINCT i.id), count(DISTINCT (i.id, i.doc)) FILTER (WHERE i.doc IS NOT NULL),
           count(DISTINCT (i.id, i.docno)) FILTER (WHERE i.docno IS NOT NULL AND i.doc IS NULL)
      INTO queries, documents, unknown FROM pg_temp.incoming_excluded i;
    LOCK TABLE ranked_lists IN SHARE ROW EXCLUSIVE MODE;
    PERFORM FROM st1_queries q WHERE q.id IN (SELECT i.id FROM pg_temp.incoming_excluded i)
      ORDER BY q.id FOR NO KEY UPDATE;
    UPDATE st1_queries q SET excluded = s.docs
      FROM (SELECT i.id, array_remove(array_agg(DISTINCT i.doc ORDER BY i.doc), NULL) AS docs
              FROM pg_temp.incoming_excluded i GROUP BY i.id) s
     WHERE q.id = s.id AND q.excluded <> s.docs;
    SELECT count(DISTINCT (j.query, j.doc)) INTO judged
      FROM pg_temp.incoming_excluded i JOIN qrels j ON j.query = i.id AND j.doc = i.doc AND j.rel > 0;
    CREATE TEMP TABLE lists_without ON COMMIT DROP AS
        SELECT r.run, r.query, r.doc, r.rel_score, r.comb_score, r.file_rank, r.passage,
               row_number() OVER (PARTITION BY r.run, r.query ORDER BY r.rank)::integer AS rank
          FROM (SELECT DISTINCT l.run, l.query, q.excluded
                  FROM st1_queries q JOIN ranked_lists l ON l.query = q.id AND l.docs && q.excluded
                 WHERE q.id IN (SELECT i.id FROM pg_temp.incoming_excluded i)) w
         CROSS JOIN LATERAL (SELECT k.* FROM st1_rankings k WHERE k.run = w.run AND k.query = w.query OFFSET 0) r
         WHERE r.doc <> ALL (w.excluded);
    WITH gone AS (
        DELETE FROM ranked_lists l USING st1_queries q
         WHERE q.id IN (SELECT i.id FROM pg_temp.incoming_excluded i)
           AND EXISTS (SELECT FROM ranked_lists k WHERE k.run = l.run AND k.query = q.id AND k.docs && q.excluded)
           AND l.query = q.id
        RETURNING l.run)
    SELECT count(DISTINCT g.run) INTO runs FROM gone g;
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
    SELECT c.run, c.query, min(c.rank), array_agg(c.doc ORDER BY c.rank), array_agg(c.rel_score ORDER BY c.rank),
           CASE WHEN count(c.comb_score) > 0 THEN array_agg(c.comb_score ORDER BY c.rank) END,
           CASE WHEN count(c.file_rank) > 0 THEN array_agg(c.file_rank ORDER BY c.rank) END,
           CASE WHEN count(c.passage) > 0 THEN array_agg(c.passage ORDER BY c.rank) END
      FROM pg_temp.lists_without c GROUP BY c.run, c.query, list_part(c.rank) ORDER BY 1, 2, 3;
    DROP TABLE pg_temp.incoming_excluded, pg_temp.lists_without;
END
$$;
COMMENT ON FUNCTION exclude_documents(text[], text[], text[]) IS
'Set the documents that are left out of search, runs, pools and scores for the named queries';
