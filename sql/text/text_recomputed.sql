-- text_recomputed: true if index_text must compute dblp_text.tsv and dblp_text.content again (compute_text): for
-- another configuration or separation of words, or because the stored ones were computed by other stemmers.
CREATE OR REPLACE FUNCTION text_recomputed(config regconfig, words text)
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN strpos((SELECT pg_get_expr(d.adbin, d.adrelid)
                 FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.adrelid = to_regclass('public.dblp_text') AND a.attname = 'tsv'),
              format('%L::regconfig', text_recomputed.config)) = 0
    OR text_words() <> coalesce(text_recomputed.words, text_words())
    OR text_index_outdated() IS NOT NULL;
COMMENT ON FUNCTION text_recomputed(regconfig, text) IS
'True if a text index with a configuration and a separation of words needs other stored texts';
