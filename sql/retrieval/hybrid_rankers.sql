-- hybrid_rankers: the names of the product's rankers of hybrid_search (gathered_rankings).
CREATE OR REPLACE FUNCTION hybrid_rankers()
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT '{bm25,boolean,rm3,title,abstract,content,document,sparse}'::text[]
$$;
COMMENT ON FUNCTION hybrid_rankers() IS 'Names of the rankers of hybrid_search that are part of the product';
