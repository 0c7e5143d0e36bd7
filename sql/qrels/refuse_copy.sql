-- refuse_copy: trigger that refuses (IR202) to change public.qrels_editions, which the trigger visible_editions keeps
-- equal to the visible rows of stc_all.qrels_editions.
CREATE OR REPLACE FUNCTION refuse_copy() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF pg_trigger_depth() = 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('public.qrels_editions is a copy of the visible editions: %s is refused', lower(TG_OP)),
            HINT = 'Use stc_all.qrels_editions, or SET search_path = stc_all, public first.';
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_copy() IS 'Trigger: refuses to change public.qrels_editions, a copy of the visible editions';
CREATE OR REPLACE TRIGGER qrels_editions_copy BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON public.qrels_editions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_copy();
