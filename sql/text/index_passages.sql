-- index_passages: build the GIN index of the words of passages, for conjunctive_passage_search, unless it is current.
--
-- 'stc vectors passages' calls it after splitting abstracts, and index_text when the configuration changes. The index
-- is one of an expression: passages need no further column, and writes keep it current. Without passages it is dropped,
-- because the first ones are stored faster without it.
CREATE OR REPLACE PROCEDURE index_passages(config regconfig DEFAULT NULL, rebuild boolean DEFAULT false)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    memory CONSTANT text := current_setting('maintenance_work_mem');
    filled CONSTANT boolean := EXISTS (SELECT 1 FROM dblp_passages LIMIT 1);
BEGIN
    config := coalesce(index_passages.config, text_config());
    IF filled AND NOT index_passages.rebuild AND passages_indexed(index_passages.config) THEN
        RETURN;
    END IF;
    DROP INDEX IF EXISTS dblp_passages_words;
    IF filled THEN
        IF pg_size_bytes(memory) < pg_size_bytes('512MB') THEN
            PERFORM set_config('maintenance_work_mem', '512MB', true);
        END IF;
        EXECUTE format('CREATE INDEX dblp_passages_words ON dblp_passages USING gin (%s)',
                       passage_words(index_passages.config));
        PERFORM set_config('maintenance_work_mem', memory, true);
    END IF;
END
$$;
COMMENT ON PROCEDURE index_passages(regconfig, boolean) IS
'Build the index of the words of passages unless it is current';
