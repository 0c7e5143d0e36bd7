-- run_by_document: make a run of documents from a run of passages. A document has the score of its best passage (MaxP:
-- Callan, SIGIR 1994; Dai & Callan, SIGIR 2019), which is the first one in the ranking.
--
--   SELECT * FROM stc.run_by_document('bm25-documents', 'bm25', '#');
--   SELECT * FROM stc.edition_by_document('documents', 'passages', '#');  -- their judgments
--
-- delimiter: see passage_documents. depth: maximum number of documents per query. whole: number of ranked documents
-- whose docno has no delimiter. Documents that are left out for the query are omitted. Ranked by trec_eval 9's rule:
-- score in single precision descending, equal scores by docno descending as bytes.
-- Raises IR101 no such run, IR201 depth below 1, IR202 a name that is taken (unless replace), that of the source, or an
-- invalid delimiter.
CREATE OR REPLACE FUNCTION run_by_document(
    run text, passages text, delimiter text DEFAULT '#', depth integer DEFAULT 1000, replace boolean DEFAULT false,
    OUT queries bigint, OUT ranked bigint, OUT whole bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := (run_keys(ARRAY[run_by_document.passages]))[1];
    docs CONSTANT bigint[] := ARRAY(SELECT DISTINCT u.doc FROM ranked_lists l CROSS JOIN unnest(l.docs) u (doc)
                                     WHERE l.run = source_id);
    parents bigint[];
    run_id integer;
BEGIN
    PERFORM fusion_name(run_by_document.run, ARRAY[run_by_document.passages], run_by_document.replace);
    IF run_by_document.depth IS NULL OR run_by_document.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(run_by_document.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    END IF;
    parents := passage_documents(docs, run_by_document.delimiter);
    PERFORM drop_runs(ARRAY[run_by_document.run]);  -- the run exists only if it may be replaced
    INSERT INTO st1_runs (run, team, tag, family, params)
    SELECT run_by_document.run, r.team, run_by_document.run, r.family,
           jsonb_build_object('system', 'by-document', 'delimiter', run_by_document.delimiter,
                              'depth', run_by_document.depth, 'runs', jsonb_build_array(fusion_source(source_id)))
      FROM st1_runs r WHERE r.id = source_id
    RETURNING id INTO run_id;
    WITH best AS MATERIALIZED (
        SELECT k.query, p.parent, max(k.rel_score) AS score,
               bool_or(p.parent = k.doc) AS is_whole
          FROM st1_rankings k
          JOIN unnest(docs, parents) p (doc, parent) ON p.doc = k.doc
          JOIN st1_queries q ON q.id = k.query
         WHERE k.run = source_id AND p.parent <> ALL (q.excluded)
         GROUP BY k.query, p.parent),
    named AS MATERIALIZED (
        SELECT n.doc, n.docno
          FROM (SELECT ARRAY(SELECT DISTINCT b.parent FROM best b) AS docs OFFSET 0) t
         CROSS JOIN LATERAL unnest(t.docs, docnos(t.docs)) n (doc, docno)),
    ordered AS (
        SELECT b.query, b.parent, b.score, b.is_whole,
               row_number() OVER (PARTITION BY b.query ORDER BY trec_score(b.score) DESC, n.docno COLLATE "C" DESC
                                 )::integer AS rank
          FROM best b JOIN named n ON n.doc = b.parent),
    stored AS (
        INSERT INTO ranked_lists (run, query, first, docs, rel_scores)
        SELECT run_id, o.query, min(o.rank), array_agg(o.parent ORDER BY o.rank), array_agg(o.score ORDER BY o.rank)
          FROM ordered o WHERE o.rank <= run_by_document.depth
         GROUP BY o.query, list_part(o.rank) ORDER BY 2, 3)
    SELECT count(DISTINCT o.query), count(*), count(*) FILTER (WHERE o.is_whole) INTO queries, ranked, whole
      FROM ordered o WHERE o.rank <= run_by_document.depth;
    PERFORM record_run(run_id);
END
$$;
COMMENT ON FUNCTION run_by_document(text, text, text, integer, boolean) IS
'Make a run of documents from a run of passages, each document with the score of its best passage';
