-- write_query: trigger that carries out INSERT, UPDATE and DELETE on the view st1_queries. A new or changed topic is
-- found by its name; a changed topic_id takes precedence.
-- Raises IR109 no such topic.
CREATE OR REPLACE FUNCTION write_query() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF tg_op = 'DELETE' THEN
        DELETE FROM stc.st1_queries q WHERE q.id = old.id;
        RETURN old;
    END IF;
    IF new.id IS DISTINCT FROM old.id THEN
        RAISE EXCEPTION USING ERRCODE = 'generated_always', MESSAGE = format('a query cannot get the id %s', new.id),
            HINT = 'Leave out the column id: each new query gets its own.';
    END IF;
    IF new.topic_id IS NOT DISTINCT FROM old.topic_id AND new.topic IS DISTINCT FROM old.topic THEN
        new.topic_id := CASE WHEN new.topic IS NOT NULL THEN topic_key(new.topic) END;
    END IF;
    IF tg_op = 'INSERT' THEN
        INSERT INTO stc.st1_queries AS q (query, topic, text, origin, model, prompt, source, reviewer)
        VALUES (new.query, new.topic_id, new.text, new.origin, new.model, new.prompt, new.source, new.reviewer)
        RETURNING q.id INTO new.id;
    ELSE
        UPDATE stc.st1_queries q
           SET (query, topic, text, origin, model, prompt, source, reviewer)
               = (new.query, new.topic_id, new.text, new.origin, new.model, new.prompt, new.source, new.reviewer)
         WHERE q.id = old.id;
    END IF;
    RETURN new;
END
$$;
COMMENT ON FUNCTION write_query() IS 'Trigger: carry out INSERT, UPDATE and DELETE on the view st1_queries';
CREATE OR REPLACE TRIGGER st1_queries_write INSTEAD OF INSERT OR UPDATE OR DELETE ON public.st1_queries
    FOR EACH ROW EXECUTE FUNCTION write_query();
