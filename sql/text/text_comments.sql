-- text_comments: the comments of the tables for the text index, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION text_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('dblp_text', NULL, 'Title and abstract of the documents, indexed for text search'),
    ('dblp_text', 'id', 'document: dblp.id'),
    ('dblp_text', 'title', 'title of the document'),
    ('dblp_text', 'abstract', 'abstract of the document; NULL if it has none'),
    ('dblp_text', 'content', 'title and abstract, words separated as text_words says; the text that BM25 searches'),
    ('dblp_text', 'tsv', 'lexemes of the title (weight A) and the abstract (weight B), computed'),

    ('text_index', NULL, 'Parameters the text index was built with, at most one row'),
    ('text_index', 'single', 'always true; allows one row only'),
    ('text_index', 'config', 'text search configuration'),
    ('text_index', 'k1', 'parameter k1 of BM25: term frequency saturation'),
    ('text_index', 'b', 'parameter b of BM25: document length normalisation, from 0 to 1'),
    ('text_index', 'documents', 'number of documents indexed'),
    ('text_index', 'tokens', 'number of tokens indexed'),
    ('text_index', 'engine', 'engine of BM25: pg_textsearch or portable'),
    ('text_index', 'stale', 'true: dblp_text has changed since the build'),
    ('text_index', 'built', 'when the index was built'),
    ('text_index', 'server_major', 'major version of PostgreSQL at the build; stemmers differ between versions'),
    ('text_index', 'dictionaries', 'dictionaries of the configuration at the build, with their options'),
    ('text_index', 'anchors', 'a document of each shard that has a BM25 index; NULL: the shards have none'),
    ('text_index', 'sealed', 'size in bytes of the BM25 index of each shard after the build'),
    ('text_index', 'lengths', 'shard of text_lengths with the documents of each shard'),

    ('text_lengths', NULL, 'Document lengths for the portable BM25'),
    ('text_lengths', 'id', 'document: dblp.id'),
    ('text_lengths', 'tokens', 'number of tokens in title and abstract'),

    ('text_lexemes', NULL, 'Document frequencies for the portable BM25'),
    ('text_lexemes', 'lexeme', 'normalised word'),
    ('text_lexemes', 'documents', 'number of documents that contain the lexeme'),
    ('text_lexemes', 'occurrences', 'number of occurrences in all documents'),
    ('text_lexemes', 'least_idf',
     'smallest idf in the BM25 index of a shard, for the average length of all; NULL: not distributed')
$$;
COMMENT ON FUNCTION text_comments() IS
'Comments of the tables for the text index, and of their columns';
