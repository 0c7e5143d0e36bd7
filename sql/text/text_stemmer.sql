-- text_stemmer: the dictionary that a text search configuration uses for words, with all that is needed to create a
-- similar one.
--
-- One row; no row if the configuration has several dictionaries for words, such as one with a thesaurus, or one that is
-- neither a stemmer nor simple.
CREATE OR REPLACE FUNCTION text_stemmer(config regconfig)
RETURNS TABLE (name text, stemmer text, template text, options text, tokens text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = stc_all, stc, public, pg_temp
BEGIN ATOMIC
    SELECT format('%I.%I', c.cfgnamespace::regnamespace::name, c.cfgname),
           format('%I.%I', d.dictnamespace::regnamespace::name, d.dictname),
           t.tmplname::text, coalesce(d.dictinitoption, ''), array_agg(k.alias ORDER BY k.tokid)
      FROM pg_ts_config c
      JOIN pg_ts_config_map m ON m.mapcfg = c.oid
      JOIN LATERAL ts_token_type(c.cfgparser) k ON k.tokid = m.maptokentype
      JOIN pg_ts_dict d ON d.oid = m.mapdict
      JOIN pg_ts_template t ON t.oid = d.dicttemplate
     WHERE c.oid = text_stemmer.config AND t.tmplname IN ('snowball', 'simple')
       AND k.alias IN ('asciiword', 'word', 'hword_asciipart', 'hword_part', 'asciihword', 'hword')
       AND NOT EXISTS (SELECT FROM pg_ts_config_map o
                        WHERE o.mapcfg = m.mapcfg AND o.maptokentype = m.maptokentype AND o.mapdict <> m.mapdict)
     GROUP BY c.oid, c.cfgnamespace, c.cfgname, d.oid, d.dictnamespace, d.dictname, t.tmplname, d.dictinitoption
    HAVING bool_or(k.alias = 'word');
END;
COMMENT ON FUNCTION text_stemmer(regconfig) IS
'Stemmer of a text search configuration with its template, options and token types; no row if it has several';
