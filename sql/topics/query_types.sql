-- query_types: the types of queries that a set (query_set) can name: the forms of query_type, and long (long_queries).
CREATE OR REPLACE FUNCTION query_types() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT '{long,question-word,yes-no,question,keyword,phrase}'::text[]
$$;
COMMENT ON FUNCTION query_types() IS 'Types of queries that a set can name';
