-- answer_is_quoted: true if the text of a document of the query with this address contains the words.
CREATE OR REPLACE FUNCTION answer_is_quoted(set_id integer, query text, url text, words text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM answer_queries q JOIN answer_documents d ON d.query = q.id
         WHERE q.set = answer_is_quoted.set_id AND q.text = answer_is_quoted.query COLLATE "C"
           AND d.url = answer_is_quoted.url COLLATE "C" AND position(answer_is_quoted.words IN d.text) > 0);
$$;
COMMENT ON FUNCTION answer_is_quoted(integer, text, text, text) IS
    'True if the text of a document of the query with this address contains the words';
