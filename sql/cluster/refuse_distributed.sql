-- refuse_distributed: raise IR415, because the triggers and keys that an action relies on are dropped. On one server it
-- does nothing (db/refuse_distributed.sql). action: completes the sentence "… is not possible while the collection is
-- distributed".
CREATE OR REPLACE FUNCTION refuse_distributed(action text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'IR415',
        MESSAGE = format('%s is not possible while the collection is distributed', refuse_distributed.action),
        HINT = 'Move the documents back to one server first: ''stc db distribute --undo''.';
END
$$;
COMMENT ON FUNCTION refuse_distributed(text) IS 'Raise IR415 if the collection is distributed';
