-- synth_comments: the comments of the tables for synthetic queries, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION synth_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    VALUES
    ('synth_studies', NULL, 'Studies that generate queries from a sample of documents'),
    ('synth_studies', 'id', 'number of the study'),
    ('synth_studies', 'study', 'name of the study'),
    ('synth_studies', 'field', 'text of a document used for sampling and generation: abstract or content'),
    ('synth_studies', 'seed', 'seed of all random draws'),
    ('synth_studies', 'params', 'parameters of the last run of each step, by step'),
    ('synth_studies', 'made', 'when the study was stored'),

    ('synth_passages', NULL, 'Sampled documents of a study, and how a language model rated each'),
    ('synth_passages', 'study', 'study: synth_studies.id'),
    ('synth_passages', 'doc', 'document: dblp.id'),
    ('synth_passages', 'place', 'position in the order drawn, from 1'),
    ('synth_passages', 'model',
     'language model that rated whether the document is useful as a search result without context'),
    ('synth_passages', 'prompt', 'prompt: llm_prompts.id'),
    ('synth_passages', 'answer', 'answer of the model; NULL: not requested yet, or no answer was received'),
    ('synth_passages', 'score', 'score parsed from the answer, from 0 to 100; NULL: malformed or missing answer'),
    ('synth_passages', 'error', 'reason for a missing answer'),
    ('synth_passages', 'params', 'parameters of the request, and its cost'),
    ('synth_passages', 'asked', 'when the request was made'),

    ('synth_candidates', NULL, 'Generated queries, chosen or not'),
    ('synth_candidates', 'id', 'number of the candidate'),
    ('synth_candidates', 'study', 'study: synth_studies.id'),
    ('synth_candidates', 'doc', 'document it was generated from: dblp.id'),
    ('synth_candidates', 'origin', 'kind of generator, as t5 or gpt-4; becomes st1_queries.origin'),
    ('synth_candidates', 'model', 'model that generated it'),
    ('synth_candidates', 'prompt', 'prompt it was generated with: llm_prompts.id'),
    ('synth_candidates', 'number', 'position among the candidates of the document and generator, from 1'),
    ('synth_candidates', 'answer', 'answer of the model; NULL: no answer was received'),
    ('synth_candidates', 'text', 'query parsed from the answer; NULL: malformed or empty'),
    ('synth_candidates', 'dropped',
     'reason it cannot be used: empty, malformed, error, duplicate or copy; NULL: it can'),
    ('synth_candidates', 'length', 'number of words in the query'),
    ('synth_candidates', 'found', 'number of these words that occur in the document, without stop words or stemming'),
    ('synth_candidates', 'chosen', 'true: selected for publication'),
    ('synth_candidates', 'query', 'query it was published as: st1_queries.id'),
    ('synth_candidates', 'params', 'parameters of the request, and its cost'),
    ('synth_candidates', 'made', 'when the candidate was stored')
$$;
COMMENT ON FUNCTION synth_comments() IS
'Comments of the tables for synthetic queries, and of their columns';
