-- answer_has_address: true if a query of a split has a document with this address.
CREATE OR REPLACE FUNCTION answer_has_address(set_id integer, query text, url text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM answer_queries q JOIN answer_documents d ON d.query = q.id
         WHERE q.set = answer_has_address.set_id AND q.text = answer_has_address.query COLLATE "C"
           AND d.url = answer_has_address.url COLLATE "C");
$$;
COMMENT ON FUNCTION answer_has_address(integer, text, text) IS
    'True if a query of a split has a document with this address';
