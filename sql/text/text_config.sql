-- text_config: the text search configuration of the collection: that of the text index, and english where there is
-- none. Where it is called for many rows, write (SELECT text_config()), so that it runs once.
CREATE OR REPLACE FUNCTION text_config() RETURNS regconfig
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp
RETURN coalesce((SELECT i.config FROM text_index i), 'english'::regconfig);
COMMENT ON FUNCTION text_config() IS 'The text search configuration of the collection';
