-- import_run: store the rows of the temporary table incoming (stage_incoming) as one run.
--
-- rank is computed once, by trec_eval 9's rule: score in single precision descending, ties by docno descending as
-- bytes. A (query, document) pair may occur once: on_duplicate is error (IR302 with both line numbers), first (in the
-- file) or best (highest score, then first). Unknown queries and documents: see resolve_incoming. They become stubs by
-- default, because removing a ranked document would move up those below it.
--
-- metadata describes how the run was made, in the format of ir_metadata.
-- Raises IR202 the name is already used (unless replace), IR301 a score that is not a finite number, IR302, IR405 no
-- row to store.
CREATE OR REPLACE FUNCTION import_run(
    run text, source text DEFAULT 'incoming', sha256 text DEFAULT NULL, team text DEFAULT NULL, tag text DEFAULT NULL,
    manual boolean DEFAULT false, family text DEFAULT NULL, params jsonb DEFAULT '{}',
    on_duplicate text DEFAULT 'error', unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub',
    replace boolean DEFAULT false, metadata jsonb DEFAULT NULL)
RETURNS TABLE (queries bigint, ranked bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
    run_id integer;
BEGIN
    IF import_run.on_duplicate NOT IN ('error', 'first', 'best') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a policy for duplicates', import_run.on_duplicate),
            HINT = 'Use error, first or best.';
    END IF;
    team := nullif(btrim(import_run.team, ' '), ''); tag := nullif(btrim(import_run.tag, ' '), '');
    family := nullif(btrim(import_run.family, ' '), '');
    PERFORM check_name('run', import_run.run), check_name('team', import_run.team), check_name('tag', import_run.tag),
            check_name('family', import_run.family);
    PERFORM claim_run(import_run.run);
    IF import_run.replace THEN
        PERFORM drop_runs(ARRAY[import_run.run]);
    ELSIF EXISTS (SELECT FROM st1_runs r WHERE r.run = import_run.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('run %s already exists', import_run.run),
            HINT = 'Choose another --name, or use --replace to replace it.';
    END IF;
    SELECT i.line, i.rel_score INTO bad FROM pg_temp.incoming i
     WHERE i.rel_score IS NULL OR i.rel_score IN ('NaN', 'Infinity', '-Infinity') ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: the score %s is not a finite number', import_run.source, bad.line,
                             coalesce(bad.rel_score::text, 'NULL')),
            HINT = 'Correct the line. Nothing was stored.';
    END IF;
    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(import_run.source, import_run.unknown_documents, import_run.unknown_queries);

    duplicates := 0;
    IF import_run.on_duplicate <> 'error' THEN
        DELETE FROM pg_temp.incoming i
         USING (SELECT line, row_number() OVER (PARTITION BY query, docno
                    ORDER BY CASE WHEN import_run.on_duplicate = 'best' THEN rel_score END DESC, line) AS place
                  FROM pg_temp.incoming) o
         WHERE o.line = i.line AND o.place > 1;
        GET DIAGNOSTICS duplicates = ROW_COUNT;
    END IF;

    INSERT INTO st1_runs (run, team, tag, manual, family, params, source, sha256, metadata)
    VALUES (import_run.run, import_run.team, import_run.tag, import_run.manual, import_run.family, import_run.params,
            import_run.source, import_run.sha256, import_run.metadata)
    RETURNING id INTO run_id;
    BEGIN
        INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
        SELECT run_id, r.query, p.first, r.docs[p.first:p.last], r.rel_scores[p.first:p.last],
               CASE WHEN r.combined THEN r.comb_scores[p.first:p.last] END,
               CASE WHEN r.numbered AND r.file_ranks[p.first:p.last] = ARRAY(SELECT generate_series(p.first, p.last))
                    THEN '{}' WHEN r.numbered THEN r.file_ranks[p.first:p.last] END,
               CASE WHEN r.cited THEN r.passages[p.first:p.last] END
          FROM (SELECT q.id AS query, count(i.comb_score) > 0 AS combined, count(i.file_rank) > 0 AS numbered,
                       count(i.passage) > 0 AS cited,
                       array_agg(d.id ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS docs,
                       array_agg(i.rel_score ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS rel_scores,
                       array_agg(i.comb_score ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS comb_scores,
                       array_agg(i.file_rank ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS file_ranks,
                       array_agg(i.passage ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS passages
                  FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query
                  JOIN pg_temp.incoming_docs d ON d.docno = i.docno
                 GROUP BY q.id ORDER BY q.id) r
         CROSS JOIN LATERAL (
               SELECT s.first, least(s.first + list_length() - 1, cardinality(r.docs)) AS last
                 FROM generate_series(1, cardinality(r.docs), list_length()) AS s (first)) p;
    EXCEPTION WHEN unique_violation THEN  -- check_rankings found a document twice
        SELECT i.line, i.query, i.docno, i.first_line INTO bad
          FROM (SELECT line, query, docno, min(line) OVER (PARTITION BY query, docno) AS first_line
                  FROM pg_temp.incoming) i
         WHERE i.line > i.first_line ORDER BY i.line LIMIT 1;
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s has document %s already, on line %s',
                             import_run.source, bad.line, bad.query, bad.docno, bad.first_line),
            HINT = 'Use --on-duplicate first to keep the first of each pair, or best for the highest score.';
    END;
    SELECT count(*) FILTER (WHERE l.first = 1), coalesce(sum(cardinality(l.docs)), 0) INTO queries, ranked
      FROM ranked_lists l WHERE l.run = run_id;
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has no ranked document to store', import_run.source),
            HINT = 'The file is empty, or all its queries or documents are unknown and were skipped.';
    END IF;
    DROP TABLE pg_temp.incoming;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_run(text, text, text, text, text, boolean, text, jsonb, text, text, text, boolean, jsonb) IS
    'Stores the rows of the temporary table incoming as a run, ranked by trec_eval 9''s rule';
