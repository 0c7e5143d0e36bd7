-- begin_passages: record how abstracts are split into passages (stc_settings, 'passages'), before fill_passages splits
-- them.
--
--   SELECT begin_passages('sentence');
--   SELECT begin_passages('window', size => 64, step => 32, replace => true);
--
-- by: sentence, or window. size: words per window (default 64). step: words between the starts of two windows (default
-- half of size).
-- Returns the recorded way: sentence, or window 64 32. Recording the same way again changes nothing. A different way
-- requires replace, which deletes all passages, their vectors by every model and the indexes on these.
-- Raises IR202 a different way without replace, or an argument out of range.
CREATE OR REPLACE FUNCTION begin_passages(
    by text DEFAULT 'sentence', size integer DEFAULT NULL, step integer DEFAULT NULL, replace boolean DEFAULT false
)
RETURNS text
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    cut text;
    recorded text;
    relations text;
    dropped record;
BEGIN
    IF begin_passages.by = 'sentence' AND begin_passages.size IS NULL AND begin_passages.step IS NULL THEN
        cut := 'sentence';
    ELSIF begin_passages.by = 'window' THEN
        size := coalesce(begin_passages.size, 64);
        step := coalesce(begin_passages.step, greatest(1, begin_passages.size / 2));
        IF begin_passages.size NOT BETWEEN 1 AND 10000 OR begin_passages.step NOT BETWEEN 1 AND begin_passages.size THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('windows of %s, starting every %s', counted(begin_passages.size, 'word'),
                                 counted(begin_passages.step, 'word')),
                HINT = 'size is 1 to 10,000 words, and step is 1 to size.';
        END IF;
        cut := format('window %s %s', begin_passages.size, begin_passages.step);
    ELSE
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('passages by %s%s', coalesce(begin_passages.by, 'NULL'),
                             CASE WHEN begin_passages.by = 'sentence' THEN ' have neither size nor step' END),
            HINT = 'Split by sentence, or by window with size and step.';
    END IF;
    INSERT INTO stc_settings (name, value) VALUES ('passages', cut) ON CONFLICT (name) DO NOTHING;
    -- concurrent calls wait here, and in fill_passages
    SELECT s.value INTO recorded FROM stc_settings s WHERE s.name = 'passages' FOR UPDATE;
    IF recorded = cut THEN
        RETURN cut;
    ELSIF NOT begin_passages.replace AND EXISTS (SELECT 1 FROM dblp_passages) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the passages are by %s, not by %s', recorded, cut),
            HINT = 'Use the recorded way, or replace (--replace), which deletes these passages, their vectors and the '
                   'indexes on the vectors.';
    END IF;
    FOR dropped IN
        DELETE FROM vector_indexes i USING vector_models space WHERE space.model = i.model AND i.field = 'passage'
        RETURNING vector_index_name(vector_relation(space, 'passage'), 'passage', i.kind) AS name
    LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', dropped.name);
    END LOOP;
    SELECT string_agg(DISTINCT quote_ident(r.relation), ', ') INTO relations
      FROM (SELECT vector_relation(m, 'passage')::text FROM vector_models m
             UNION ALL VALUES ('dblp_p'), ('dblp_passages')) r (relation)
     WHERE to_regclass(quote_ident(r.relation)) IS NOT NULL;
    DROP INDEX IF EXISTS dblp_passages_words;
    EXECUTE 'TRUNCATE ' || relations;
    UPDATE stc_settings s SET value = cut WHERE s.name = 'passages';
    RETURN cut;
END
$$;
COMMENT ON FUNCTION begin_passages(text, integer, integer, boolean) IS
'Record how abstracts are split into passages; a different way requires replace, which deletes the stored ones';
