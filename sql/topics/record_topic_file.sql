-- record_topic_file: record a loaded file of topics in the ledger, with the names of its queries and topics.
--
-- A file with the same content and path keeps its row. gone: number of stored queries that the previous version of this
-- path contains and this one does not. earlier: SHA-256 of that version; NULL for the first version.
CREATE OR REPLACE FUNCTION record_topic_file(
    path text, sha256 text, format text, queries text[], topics text[], OUT gone bigint, OUT earlier text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    query_ids CONSTANT integer[] := ARRAY(
        SELECT q.id FROM st1_queries q WHERE q.query = ANY (record_topic_file.queries) ORDER BY q.id);
    topic_ids CONSTANT integer[] := ARRAY(
        SELECT t.id FROM st1_topics t WHERE t.topic = ANY (record_topic_file.topics) ORDER BY t.id);
    before integer[];
BEGIN
    LOCK TABLE topic_files IN SHARE ROW EXCLUSIVE MODE;
    SELECT f.sha256, f.queries INTO earlier, before FROM topic_files f
     WHERE f.path = record_topic_file.path AND f.sha256 <> record_topic_file.sha256
     ORDER BY f.loaded DESC, f.id DESC LIMIT 1;
    gone := (SELECT count(*) FROM (SELECT unnest(before) AS id EXCEPT SELECT unnest(query_ids)) b
               JOIN st1_queries q ON q.id = b.id AND q.text IS NOT NULL);
    UPDATE topic_files f SET queries = query_ids, topics = topic_ids, format = record_topic_file.format, loaded = now()
     WHERE f.path = record_topic_file.path AND f.sha256 IS NOT DISTINCT FROM record_topic_file.sha256;
    IF NOT FOUND THEN
        INSERT INTO topic_files (path, sha256, format, queries, topics)
        VALUES (record_topic_file.path, record_topic_file.sha256, record_topic_file.format, query_ids, topic_ids);
    END IF;
END
$$;
COMMENT ON FUNCTION record_topic_file(text, text, text, text[], text[]) IS
'Record a loaded file of topics in the ledger, and count queries that only its previous version contains';
