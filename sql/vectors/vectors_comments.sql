-- vectors_comments: the comments of the tables for embeddings, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION vectors_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('dblp_v', NULL, 'Embeddings of documents by the default model, L2-normalised: <#> is minus the cosine'),
    ('dblp_v', 'id', 'document: dblp.id'),
    ('dblp_v', 'title_v', 'embedding of the title, of length 1'),
    ('dblp_v', 'abstract_v', 'embedding of the abstract, of length 1'),
    ('dblp_v', 'content_v', 'embedding of title and abstract as one text, of length 1'),

    ('dblp_p', NULL, 'Embeddings of passages by the default model; dblp_p_<model> has those of another model'),
    ('dblp_p', 'id', 'passage: dblp_passages.id'),
    ('dblp_p', 'passage_v', 'embedding of the passage, of length 1'),

    ('dblp_passages', NULL, 'Passages of the abstracts: sentences or windows of sentences'),
    ('dblp_passages', 'id', 'number of the passage'),
    ('dblp_passages', 'doc', 'document: dblp.id'),
    ('dblp_passages', 'position', 'position in the abstract, from 1'),
    ('dblp_passages', 'text', 'text of the passage'),

    ('query_v', NULL, 'Cache of query embeddings, by model and text'),
    ('query_v', 'model', 'embedding model: vector_models.model'),
    ('query_v', 'text', 'text of the query'),
    ('query_v', 'v', 'embedding of the text; by a sparse model, pairs of a term and its weight'),
    ('query_v', 'digest', 'MD5 of the text, computed; part of the key, since texts can be too long for an index'),

    ('vector_models', NULL, 'Embedding models whose vectors are stored'),
    ('vector_models', 'model', 'short name of the model'),
    ('vector_models', 'name', 'name in sentence-transformers, or path'),
    ('vector_models', 'revision', 'revision of the model, or SHA-256 of its weights'),
    ('vector_models', 'dim', 'number of dimensions'),
    ('vector_models', 'max_tokens', 'maximum number of tokens read from a text'),
    ('vector_models', 'relation', 'name of the table with its document vectors'),
    ('vector_models', 'added', 'when the model was registered'),
    ('vector_models', 'pooling', 'how token vectors are combined, as mean or cls; NULL: unknown'),
    ('vector_models', 'normalised', 'true: stored vectors have length 1'),
    ('vector_models', 'query_prefix', 'text put before a query'),
    ('vector_models', 'passage_prefix', 'text put before the text of a document'),
    ('vector_models', 'storage', 'type of the vectors: vector (full precision), halfvec (half) or sparsevec'),
    ('vector_models', 'made_by', 'programs that computed the vectors, as torch fp32, openvino bf16 or import'),
    ('vector_models', 'recipe',
     'how stc vectors train made the model: base model, edition, queries, options, versions; NULL: not trained here'),

    ('vector_terms', NULL, 'Vocabularies of sparse models: the words that the dimensions of their vectors stand for'),
    ('vector_terms', 'model', 'sparse model: vector_models.model'),
    ('vector_terms', 'term', 'number of the term, from 0: its dimension in a sparsevec is one more'),
    ('vector_terms', 'word', 'word, or ## and the later part of one'),

    ('vector_indexes', NULL, 'Vector indexes: how each was built, its search defaults and its last audit'),
    ('vector_indexes', 'model', 'embedding model: vector_models.model'),
    ('vector_indexes', 'field', 'indexed text: title, abstract, content, passage; title_only: titles without abstract'),
    ('vector_indexes', 'kind', 'type of the index: ivfflat, hnsw, diskann or impact'),
    ('vector_indexes', 'lists', 'number of lists of an ivfflat index'),
    ('vector_indexes', 'effort',
     'default of a search: probes (ivfflat), ef_search (hnsw) search_list_size (diskann) or candidates (impact)'),
    ('vector_indexes', 'rows', 'number of vectors indexed'),
    ('vector_indexes', 'built', 'when the index was built'),
    ('vector_indexes', 'halfvec', 'true: indexed in half precision; distances are computed in full precision'),
    ('vector_indexes', 'bits',
     'true: indexed as bits, the signs of the values; distances are computed from the vectors'),
    ('vector_indexes', 'm', 'parameter m of an hnsw index: connections per node'),
    ('vector_indexes', 'ef_construction',
     'parameter ef_construction of an hnsw index: candidates considered at the build'),
    ('vector_indexes', 'recall',
     'share of the recall_k nearest neighbours found at the default effort, by the last audit'),
    ('vector_indexes', 'recall_k', 'number of nearest neighbours in the last audit'),
    ('vector_indexes', 'audited', 'when the index was last audited'),
    ('vector_indexes', 'anchors',
     'an id of each shard of an index, by which a search asks it; NULL: one server'),
    ('vector_indexes', 'idf',
     'inverse document frequencies of the terms of an index of impacts, by number, from a sample')
$$;
COMMENT ON FUNCTION vectors_comments() IS
'Comments of the tables for embeddings, and of their columns';
