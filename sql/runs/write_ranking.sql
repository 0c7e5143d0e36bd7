-- write_ranking: trigger that collects the rows of an INSERT, UPDATE or DELETE on the views st1_rankings in the
-- temporary table ranking_changes. store_changes stores them at the end of the statement.
--
-- In public.st1_rankings, run and query are found by name, or by run_id and query_id. Rows of runs that the role may
-- not change are skipped, as row policies do. The others are locked (st1_runs), so that sessions change a run one after
-- the other.
-- Raises IR101 no such run, IR103 no such query, IR202 a row that moves to another run or query, and PostgreSQL's
-- errors for NULL (23502) and for values out of range (23514).
CREATE OR REPLACE FUNCTION write_ranking() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    by_name CONSTANT boolean := tg_table_schema = 'public';
    moves boolean := false;
    run_id integer;
    query_id integer;
    wrong text;
BEGIN
    IF tg_op = 'INSERT' AND by_name THEN
        new.run_id := coalesce(new.run_id, (run_keys(ARRAY[new.run]))[1]);
        new.query_id := coalesce(new.query_id, query_key(new.query));
        run_id := new.run_id; query_id := new.query_id;
    ELSIF tg_op = 'INSERT' THEN
        run_id := new.run; query_id := new.query;
    ELSIF by_name THEN
        run_id := old.run_id; query_id := old.query_id;
        moves := tg_op = 'UPDATE' AND (new.run, new.query, new.run_id, new.query_id)
                                      IS DISTINCT FROM (old.run, old.query, old.run_id, old.query_id);
    ELSE
        run_id := old.run; query_id := old.query;
        moves := tg_op = 'UPDATE' AND (new.run, new.query) IS DISTINCT FROM (old.run, old.query);
    END IF;
    IF moves THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a ranked document cannot move to another run or query',
            HINT = 'Delete the row, and insert it with the other run or query.';
    END IF;
    IF tg_op <> 'INSERT' THEN
        PERFORM FROM public.st1_runs n WHERE n.id = run_id FOR NO KEY UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    IF tg_op = 'DELETE' THEN
        INSERT INTO pg_temp.ranking_changes (run, query, old_doc, was)
        VALUES (run_id, query_id, old.doc,
                hash_record_extended(ROW(old.rank, old.file_rank, old.rel_score, old.comb_score, old.passage), 0));
        RETURN old;
    END IF;
    wrong := CASE WHEN run_id IS NULL THEN 'run' WHEN query_id IS NULL THEN 'query' WHEN new.doc IS NULL THEN 'doc'
                  WHEN new.rank IS NULL THEN 'rank' WHEN new.rel_score IS NULL THEN 'rel_score' END;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '23502', TABLE = 'st1_rankings', COLUMN = wrong,
            MESSAGE = format('null value in column "%s" of relation "st1_rankings" violates not-null constraint',
                             wrong),
            HINT = 'A row needs run, query, doc, rank and rel_score.';
    END IF;
    wrong := CASE WHEN new.rank < 1 THEN 'rank'
                  WHEN new.rel_score IN ('NaN', 'Infinity', '-Infinity') THEN 'rel_score_finite'
                  WHEN new.comb_score IN ('NaN', 'Infinity', '-Infinity') THEN 'comb_score_finite'
                  WHEN octet_length(new.passage) > 16777216 THEN 'passage_size' END;
    IF wrong IS NOT NULL THEN
        wrong := format('st1_rankings_%s_check', wrong);
        RAISE EXCEPTION USING ERRCODE = '23514', TABLE = 'st1_rankings', CONSTRAINT = wrong,
            MESSAGE = format('new row for relation "st1_rankings" violates check constraint "%s"', wrong),
            HINT = 'Ranks begin at 1, scores are finite, and a passage has at most 16 MB.';
    END IF;
    IF tg_op = 'INSERT' THEN
        INSERT INTO pg_temp.ranking_changes (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
        VALUES (run_id, query_id, new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage);
    ELSE
        INSERT INTO pg_temp.ranking_changes (run, query, old_doc, was, doc, rank, file_rank, rel_score, comb_score,
                                             passage, combined)
        VALUES (run_id, query_id, old.doc,
                hash_record_extended(ROW(old.rank, old.file_rank, old.rel_score, old.comb_score, old.passage), 0),
                new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage,
                (new.doc, new.rank, new.file_rank, new.rel_score, new.passage)
                IS NOT DISTINCT FROM (old.doc, old.rank, old.file_rank, old.rel_score, old.passage));
    END IF;
    RETURN new;
END
$$;
COMMENT ON FUNCTION write_ranking() IS 'Trigger: collect the rows that a statement writes to the views st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_write INSTEAD OF INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
CREATE OR REPLACE TRIGGER st1_rankings_write_numbers INSTEAD OF INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
