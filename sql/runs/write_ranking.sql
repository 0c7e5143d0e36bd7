-- write_ranking: trigger that collects the rows of an INSERT, UPDATE or DELETE on the views st1_rankings in the
-- temporary table ranking_changes. store_changes stores them at the end of the statement.
--
-- In public.st1_rankings, run and query are found by name, or by run_id and query_id.
-- Raises IR101 no such run, IR103 no such query, IR202 a row that moves to another run or query.
CREATE OR REPLACE FUNCTION write_ranking() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    by_name CONSTANT boolean := tg_table_schema = 'public';
    moves boolean := false;
    run_id integer;
    query_id integer;
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
    IF tg_op = 'DELETE' THEN
        INSERT INTO pg_temp.ranking_changes (run, query, old_doc) VALUES (run_id, query_id, old.doc);
        RETURN old;
    ELSIF moves THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a ranked document cannot move to another run or query',
            HINT = 'Delete the row, and insert it with the other run or query.';
    END IF;
    INSERT INTO pg_temp.ranking_changes (run, query, old_doc, doc, rank, file_rank, rel_score, comb_score, passage,
                                         combined)
    VALUES (run_id, query_id, CASE tg_op WHEN 'UPDATE' THEN old.doc END, new.doc, new.rank, new.file_rank,
            new.rel_score, new.comb_score, new.passage,
            tg_op = 'UPDATE' AND (new.doc, new.rank, new.file_rank, new.rel_score, new.passage)
                                 IS NOT DISTINCT FROM (old.doc, old.rank, old.file_rank, old.rel_score, old.passage));
    RETURN new;
END
$$;
COMMENT ON FUNCTION write_ranking() IS 'Trigger: collect the rows that a statement writes to the views st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_write INSTEAD OF INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
CREATE OR REPLACE TRIGGER st1_rankings_write_numbers INSTEAD OF INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
