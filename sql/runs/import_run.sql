-- import_run: store the rows of the temporary table incoming (stage_incoming) as one run.
--
-- lists: store the ranked lists of the temporary table incoming_lists (stage_lists) instead. The caller found the keys
-- of all queries and documents (ranking_keys), stored unknown ones, and ranked the documents by the rule below.
--
-- rank is computed once, by trec_eval 9's rule: score in single precision descending, ties by docno descending as
-- bytes. A (query, document) pair may occur once: on_duplicate is error (IR302 with both line numbers), first (in the
-- file) or best (highest score, then first). Unknown queries and documents: see resolve_incoming. They become stubs by
-- default, because removing a ranked document would move up those below it.
--
-- excluded: rows of documents that are left out for their query (exclude_documents), which are not stored.
-- metadata describes how the run was made, in the format of ir_metadata.
-- Raises IR202 the name is already used (unless replace), IR301 a score that is not a finite number, IR302, IR405 no
-- row to store.
CREATE OR REPLACE FUNCTION import_run(
    run text, source text DEFAULT 'incoming', sha256 text DEFAULT NULL, team text DEFAULT NULL, tag text DEFAULT NULL,
    manual boolean DEFAULT false, family text DEFAULT NULL, params jsonb DEFAULT '{}',
    on_duplicate text DEFAULT 'error', unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub',
    replace boolean DEFAULT false, metadata jsonb DEFAULT NULL, lists boolean DEFAULT false)
RETURNS TABLE (queries bigint, ranked bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint,
               excluded bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
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
    IF import_run.lists THEN
        duplicates := 0; new_documents := 0; skipped_documents := 0; new_queries := 0; skipped_queries := 0;
        excluded := 0;
    ELSE
        SELECT * INTO duplicates, new_documents, skipped_documents, new_queries, skipped_queries, excluded
          FROM settle_rankings(import_run.source, import_run.on_duplicate, import_run.unknown_documents,
                               import_run.unknown_queries);
    END IF;
    INSERT INTO st1_runs (run, team, tag, manual, family, params, source, sha256, metadata)
    VALUES (import_run.run, import_run.team, import_run.tag, import_run.manual, import_run.family, import_run.params,
            import_run.source, import_run.sha256, import_run.metadata)
    RETURNING id INTO run_id;
    IF import_run.lists THEN
        INSERT INTO ranked_lists (run, query, first, docs, rel_scores, file_ranks)
        SELECT run_id, i.query, i.first, i.docs, i.rel_scores, i.file_ranks FROM pg_temp.incoming_lists i;
        DROP TABLE pg_temp.incoming_lists;
    ELSE
        PERFORM pack_incoming(run_id, import_run.source);
        DROP TABLE pg_temp.incoming;
    END IF;
    SELECT count(*) FILTER (WHERE l.first = 1), coalesce(sum(cardinality(l.docs)), 0) INTO queries, ranked
      FROM ranked_lists l WHERE l.run = run_id;
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has no ranked document to store', import_run.source),
            HINT = 'The file is empty, or all its queries or documents are unknown and were skipped.';
    END IF;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_run(text, text, text, text, text, boolean, text, jsonb, text, text, text, boolean, jsonb,
                               boolean) IS
    'Stores the rows of the temporary table incoming as a run, ranked by trec_eval 9''s rule';
