-- refuse_empty_run: raise the error of a run without results, with its reason and the next step. make_run and
-- finish_run call it with the arguments of the run.
--
-- Systems that rank by vectors find something for every query, unless a filter leaves no document with a vector.
-- Raises IR405.
CREATE OR REPLACE FUNCTION refuse_empty_run(system text, filter jsonb)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    by_words CONSTANT boolean := refuse_empty_run.system IN ('boolean', 'conjunctive', 'conjunctive-passage', 'bm25',
                                                                'rm3');
    filtered CONSTANT boolean := filter_condition(refuse_empty_run.filter) IS NOT NULL;
    reason text;
    step text;
BEGIN
    IF filtered AND filter_docs(refuse_empty_run.filter, 1) IS NULL THEN
        reason := format('no document matches the filter %s', refuse_empty_run.filter);
        step := 'Use a wider filter.';
    ELSIF by_words AND NOT EXISTS (
        SELECT 1 FROM dblp_text t WHERE t.title ~ '[[:alnum:]]' OR t.abstract ~ '[[:alnum:]]' LIMIT 1)
    THEN
        reason := 'no document has a title or an abstract';
        step := 'Load the documents again and name their fields: ''stc load --as corpus FILE '
                '--map title=FIELD,text=FIELD --on-duplicate replace''.';
    ELSE
        reason := CASE WHEN refuse_empty_run.system = 'conjunctive-passage' THEN 'no passage contains '
                       WHEN by_words THEN 'no document contains ' ELSE 'no document has a vector' END
                  || CASE refuse_empty_run.system
                          WHEN 'conjunctive' THEN 'all words of a query'
                          WHEN 'conjunctive-passage' THEN 'all words of a query'
                          WHEN 'boolean' THEN 'the required words of a query'
                          WHEN 'bm25' THEN 'a word of a query'
                          WHEN 'rm3' THEN 'a word of a query' ELSE '' END
                  || CASE WHEN filtered THEN ' and matches the filter' ELSE '' END;
        step := CASE refuse_empty_run.system
                     WHEN 'conjunctive' THEN
                        'Long queries rarely match: ''stc run boolean'' requires some words of a query of '
                        'more than 4 words, and ''stc run bm25'' one.'
                     WHEN 'conjunctive-passage' THEN
                        '''stc run conjunctive'' requires the words anywhere in title and abstract.'
                     WHEN 'boolean' THEN '''stc run bm25'' requires one word of a query.' END;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR405',
        MESSAGE = format('%s finds nothing for any query: %s', refuse_empty_run.system, reason),
        HINT = coalesce(step, 'Check that the queries belong to this collection and have its language: ''stc show '
                              'text'' shows the configuration of the index.');
END
$$;
COMMENT ON FUNCTION refuse_empty_run(text, jsonb) IS
'Raise the error of a run without results, with its reason and the next step';
