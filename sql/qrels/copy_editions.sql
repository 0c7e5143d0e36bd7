-- copy_editions: fill public.qrels_editions and stc.hidden_names from stc_all.qrels_editions, as the trigger
-- visible_editions keeps them; a restore loads rows before the trigger exists. Returns true if they were different.
CREATE OR REPLACE FUNCTION copy_editions() RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    DELETE FROM hidden_names h WHERE NOT EXISTS (SELECT FROM qrels_editions e WHERE e.id = h.id AND e.hidden);
    UPDATE qrels_editions e SET hidden = e.hidden
     WHERE CASE WHEN e.hidden
                THEN NOT EXISTS (SELECT FROM hidden_names h WHERE (h.id, h.edition) = (e.id, e.edition))
                ELSE to_jsonb(e) IS DISTINCT FROM (
                     SELECT to_jsonb(v) FROM public.qrels_editions v WHERE v.id = e.id) END;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION copy_editions() IS
    'Fill the visible editions and the names of hidden ones; returns true if they were different';
