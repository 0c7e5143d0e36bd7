-- topics_comments: the comments of the tables for topics and queries, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION topics_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('st1_topics', NULL, 'Topics (information needs); in SimpleText press articles'),
    ('st1_topics', 'id', 'number of the topic'),
    ('st1_topics', 'topic', 'id of the topic in files'),
    ('st1_topics', 'text', 'text of the topic in the track''s files: title or text of the article'),
    ('st1_topics', 'url', 'web address of the article'),
    ('st1_topics', 'abstract_url', 'web address of the abstract of the article'),
    ('st1_topics', 'title', 'title of the article'),
    ('st1_topics', 'article', 'full text of the article; NULL: see text'),
    ('st1_topics', 'source', 'newspaper or website that published the article, from the file or from url'),
    ('st1_topics', 'published', 'date of the article'),

    ('st1_queries', NULL, 'Queries of the topics'),
    ('st1_queries', 'id', 'number of the query'),
    ('st1_queries', 'query', 'id of the query in files'),
    ('st1_queries', 'topic', 'topic: st1_topics.id'),
    ('st1_queries', 'text', 'text of the query; NULL: a stub, known only from a run or from judgments'),
    ('st1_queries', 'origin', 'human, or the kind of generator, as t5 or gpt-4'),
    ('st1_queries', 'model', 'model that generated the query'),
    ('st1_queries', 'prompt', 'prompt the query was generated with: llm_prompts.id'),
    ('st1_queries', 'source', 'document the query was generated from: dblp.id'),
    ('st1_queries', 'excluded', 'documents left out of search, runs, pools and scores for the query: dblp.id'),
    ('st1_queries', 'reviewer', 'person who reviewed the generated query; NULL: not reviewed'),

    ('topic_files', NULL, 'Files of topics and queries, one row per file'),
    ('topic_files', 'id', 'number of the file'),
    ('topic_files', 'path', 'path of the loaded file'),
    ('topic_files', 'sha256', 'SHA-256 of the file, in hexadecimal'),
    ('topic_files', 'format', 'name of the file format'),
    ('topic_files', 'queries', 'queries of the file: st1_queries.id'),
    ('topic_files', 'topics', 'topics of the file: st1_topics.id'),
    ('topic_files', 'loaded', 'when the file was last loaded'),

    ('query_sets', NULL, 'Named sets of queries'),
    ('query_sets', 'name', 'name of the set'),
    ('query_sets', 'expression', 'its queries, as for query_set; evaluated when used'),
    ('query_sets', 'description', 'what the set is for'),
    ('query_sets', 'added', 'when it was stored')
$$;
COMMENT ON FUNCTION topics_comments() IS
'Comments of the tables for topics and queries, and of their columns';
