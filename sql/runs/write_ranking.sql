-- write_ranking: trigger that carries out INSERT, UPDATE and DELETE on the view st1_rankings, row by row. Run and query
-- are found by name, or by run_id and query_id. To store many rows, write the table stc.st1_rankings, or use
-- 'stc runs import': a row takes some 25 times as long here.
-- Raises IR101 no such run, IR103 no such query.
CREATE OR REPLACE FUNCTION write_ranking() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF tg_op = 'DELETE' THEN
        DELETE FROM stc.st1_rankings r WHERE (r.run, r.query, r.doc) = (old.run_id, old.query_id, old.doc);
        RETURN old;
    ELSIF tg_op = 'UPDATE' THEN
        IF (new.run, new.query, new.run_id, new.query_id)
           IS DISTINCT FROM (old.run, old.query, old.run_id, old.query_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a ranked document cannot move to another run or query',
                HINT = 'Delete the row, and insert it with the other run or query.';
        END IF;
        UPDATE stc.st1_rankings r
           SET (doc, rank, file_rank, rel_score, comb_score, passage)
               = (new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage)
         WHERE (r.run, r.query, r.doc) = (old.run_id, old.query_id, old.doc);
        RETURN new;
    END IF;
    new.run_id := coalesce(new.run_id, (run_keys(ARRAY[new.run]))[1]);
    new.query_id := coalesce(new.query_id, query_key(new.query));
    INSERT INTO stc.st1_rankings (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
    VALUES (new.run_id, new.query_id, new.doc, new.rank, new.file_rank, new.rel_score, new.comb_score, new.passage);
    RETURN new;
END
$$;
COMMENT ON FUNCTION write_ranking() IS 'Trigger: carry out INSERT, UPDATE and DELETE on the view st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_write INSTEAD OF INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH ROW EXECUTE FUNCTION write_ranking();
