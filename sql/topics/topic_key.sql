-- topic_key: key of a topic by its name. Raises IR109 no such topic, and suggests the nearest name.
CREATE OR REPLACE FUNCTION topic_key(topic text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer;
BEGIN
    SELECT t.id INTO found_id FROM st1_topics t WHERE t.topic = topic_key.topic COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR109', MESSAGE = format('there is no topic %L', topic_key.topic),
            HINT = concat('Did you mean '
                          || quote_literal(nearest_name(topic_key.topic,
                                                        ARRAY(SELECT t.topic FROM st1_topics t))) || '? ',
                          '''stc show topics'' lists all topics.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION topic_key(text) IS 'The key of a topic by its name; raises IR109 if there is no such topic';
