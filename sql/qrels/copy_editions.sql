-- copy_editions: make public.qrels_editions equal to the visible rows of stc_all.qrels_editions, as the trigger
-- visible_editions keeps it; a restore loads rows before the trigger exists. Returns the number of rows changed.
CREATE OR REPLACE FUNCTION copy_editions() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    removed integer;
    added integer;
BEGIN
    DELETE FROM public.qrels_editions v
     WHERE NOT EXISTS (SELECT FROM stc_all.qrels_editions e
                        WHERE e.id = v.id AND NOT e.hidden AND to_jsonb(e) = to_jsonb(v));
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO public.qrels_editions SELECT * FROM stc_all.qrels_editions e
     WHERE NOT e.hidden AND NOT EXISTS (SELECT FROM public.qrels_editions v WHERE v.id = e.id);
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN greatest(removed, added);
END
$$;
COMMENT ON FUNCTION copy_editions() IS
    'Make public.qrels_editions equal to the visible editions; returns the number of rows changed';
