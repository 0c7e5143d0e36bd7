-- write_ranking: trigger that collects the rows of an INSERT, UPDATE or DELETE on the views st1_rankings in the
-- temporary table ranking_changes. store_changes stores them at the end of the statement.
--
-- In public.st1_rankings, run and query are found by name, or by run_id and query_id. Rows of runs that the role may
-- not change are skipped, as row policies do. The others are locked (st1_runs), so that sessions change a run one after
-- the other. store_changes checks the values of new rows together, because an INSERT may have many.
-- Raises IR101 no such run, IR103 no such query, IR202 a row that moves to another run or query, and the errors of
-- refuse_values.
CREATE OR REPLACE FUNCTION write_ranking() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    by_name CONSTANT boolean := tg_table_schema = 'public';
    moves boolean := false;
    run_id integer;
    query_id integer;
    fault text;
BEGIN
    IF tg_op = 'INSERT' AND NOT by_name THEN
        INSERT INTO pg_temp.ranking_changes (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
        VALUES (new.run, new.query, new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage);
        RETURN new;
    ELSIF tg_op = 'INSERT' THEN
        new.run_id := coalesce(new.run_id, (run_keys(ARRAY[new.run]))[1]);
        new.query_id := coalesce(new.query_id, query_key(new.query));
        INSERT INTO pg_temp.ranking_changes (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
        VALUES (new.run_id, new.query_id, new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score,
                new.passage);
        RETURN new;
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
    PERFORM FROM public.st1_runs n WHERE n.id = run_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF tg_op = 'DELETE' THEN
        INSERT INTO pg_temp.ranking_changes (run, query, old_doc, was)
        VALUES (run_id, query_id, old.doc,
                hash_record_extended(ROW(old.rank, old.file_rank, old.rel_score, old.comb_score, old.passage), 0));
        RETURN old;
    END IF;
    fault := ranking_fault(run_id, query_id, new.doc, new.rank, new.rel_score, new.comb_score, new.passage);
    IF fault IS NOT NULL THEN
        PERFORM refuse_values(fault);
    END IF;
    INSERT INTO pg_temp.ranking_changes (run, query, old_doc, was, doc, rank, file_rank, rel_score, comb_score,
                                         passage, combined)
    VALUES (run_id, query_id, old.doc,
            hash_record_extended(ROW(old.rank, old.file_rank, old.rel_score, old.comb_score, old.passage), 0),
            new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage,
            (new.doc, new.rank, new.file_rank, new.rel_score, new.passage)
            IS NOT DISTINCT FROM (old.doc, old.rank, old.file_rank, old.rel_score, old.passage));
    RETURN new;
END
$$;
COMMENT ON FUNCTION write_ranking() IS 'Trigger: collect the rows that a statement writes to the views st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_write INSTEAD OF INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
CREATE OR REPLACE TRIGGER st1_rankings_write_numbers INSTEAD OF INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
