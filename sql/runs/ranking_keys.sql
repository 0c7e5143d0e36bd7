-- ranking_keys: keys of queries and documents, given as names separated by spaces, in the same order; NULL for a name
-- that is not stored. list_length is the largest number of documents in a list.
CREATE OR REPLACE FUNCTION ranking_keys(
    queries text, docnos text, OUT query_ids integer[], OUT doc_ids bigint[], OUT list_length integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    query_ids := ARRAY(
        SELECT q.id FROM unnest(string_to_array(ranking_keys.queries, ' ')) WITH ORDINALITY AS u (query, place)
          LEFT JOIN st1_queries q ON q.query = u.query ORDER BY u.place);
    doc_ids := ARRAY(
        SELECT d.id FROM unnest(string_to_array(ranking_keys.docnos, ' ')) WITH ORDINALITY AS u (docno, place)
          LEFT JOIN dblp d ON d.docno = u.docno ORDER BY u.place);
    list_length := list_length();
END
$$;
COMMENT ON FUNCTION ranking_keys(text, text) IS
    'Keys of queries and documents in the order of their names, NULL for a name that is not stored';
