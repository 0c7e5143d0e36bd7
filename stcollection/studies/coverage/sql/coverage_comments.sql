-- coverage_comments: the comments of the tables for topic coverage, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION coverage_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('coverages', NULL,
     'Topic coverage of texts: topics of their nearest abstracts, and how much of the corpus is about them'),
    ('coverages', 'id', 'number of the analysis'),
    ('coverages', 'coverage', 'name of the analysis; the query id by default if the text is a stored query'),
    ('coverages', 'query', 'query the text belongs to: st1_queries.id; NULL if it is not a stored query'),
    ('coverages', 'text', 'text that was analysed'),
    ('coverages', 'model', 'embedding model that found the nearest abstracts'),
    ('coverages', 'docs', 'documents with the nearest abstracts, nearest first: dblp.id'),
    ('coverages', 'params', 'number of documents, topics and words; support, seed'),
    ('coverages', 'made', 'when the analysis was stored'),

    ('coverage_topics', NULL, 'Topics of a text, with the number of documents in the corpus that contain their words'),
    ('coverage_topics', 'coverage', 'analysis: coverages.id'),
    ('coverage_topics', 'kind', 'method that found the topic: lda, itemset or concept'),
    ('coverage_topics', 'place', 'position in the order found, from 1'),
    ('coverage_topics', 'words', 'words of the topic, the most characteristic first'),
    ('coverage_topics', 'weight',
     'lda: share of the words; itemset and concept: share of the abstracts that contain all the words'),
    ('coverage_topics', 'count', 'number of documents in the corpus that contain all the words')
$$;
COMMENT ON FUNCTION coverage_comments() IS
'Comments of the tables for topic coverage, and of their columns';
