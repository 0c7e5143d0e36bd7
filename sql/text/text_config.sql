-- text_config: the text search configuration of the text index; english if no index exists.
--
-- In a query over many rows write (SELECT text_config()), so that it runs once.
CREATE OR REPLACE FUNCTION text_config() RETURNS regconfig
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
RETURN coalesce((SELECT i.config FROM text_index i), 'english'::regconfig);
COMMENT ON FUNCTION text_config() IS 'Text search configuration of the collection; english if no text index exists';
