-- compute_text: compute dblp_text.tsv and dblp_text.content with the given configuration and separation of words
-- (text_words). It rewrites the table. The BM25 index must be dropped before, in its own transaction (see index_text).
--
-- The title has weight A and the abstract weight B, for ts_rank and for filters. BM25 ignores weights.
CREATE OR REPLACE PROCEDURE compute_text(config regconfig, words text)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    read CONSTANT text := CASE compute_text.words WHEN 'split' THEN 'stc.split_words(%s, true)' ELSE '%s' END;
BEGIN
    -- The expression must be immutable, so it contains the configuration as a literal.
    EXECUTE format(
        $sql$ALTER TABLE dblp_text
            ALTER COLUMN content SET EXPRESSION AS (%2$s),
            ALTER COLUMN tsv SET EXPRESSION AS (
                setweight(to_tsvector(%1$L::regconfig, %3$s), 'A')
                || setweight(to_tsvector(%1$L::regconfig, %4$s), 'B'))$sql$,
        compute_text.config, format(read, 'coalesce(title, '''') || E''\n'' || coalesce(abstract, '''')'),
        format(read, 'coalesce(title, '''')'), format(read, 'coalesce(abstract, '''')'));
END
$$;
COMMENT ON PROCEDURE compute_text(regconfig, text) IS
'Compute the indexed texts with a configuration and a separation of words';
