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
    known record;
    filtered CONSTANT boolean := filter_condition(refuse_empty_run.filter) IS NOT NULL;
    reason text;
    step text;
BEGIN
    SELECT b.* INTO known FROM product_systems() b WHERE b.system = refuse_empty_run.system;
    IF filtered AND filter_docs(refuse_empty_run.filter, 1) IS NULL THEN
        reason := format('no document matches the filter %s', refuse_empty_run.filter);
        step := 'Use a wider filter.';
    ELSIF known.finds IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM dblp_text t WHERE t.title ~ '[[:alnum:]]' OR t.abstract ~ '[[:alnum:]]' LIMIT 1)
    THEN
        reason := 'no document has a title or an abstract';
        step := 'Load the documents again and name their fields: ''stc load --as corpus FILE '
                '--map title=FIELD,text=FIELD --on-duplicate replace''.';
    ELSE
        reason := CASE WHEN known.system IS NULL THEN 'its function returns no document'
                       WHEN known.finds IS NULL THEN 'no document has a vector'
                       ELSE concat('no ', CASE WHEN 'passages' = ANY (known.needs) THEN 'passage' ELSE 'document' END,
                                   ' contains ', known.finds) END
                  || CASE WHEN filtered THEN ' and matches the filter' ELSE '' END;
        step := known.hint;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR405',
        MESSAGE = format('%s finds nothing for any query: %s', refuse_empty_run.system, reason),
        HINT = coalesce(step, 'Check that the queries belong to this collection and have its language: ''stc show '
                              'text'' shows the configuration of the index.');
END
$$;
COMMENT ON FUNCTION refuse_empty_run(text, jsonb) IS
'Raise the error of a run without results, with its reason and the next step';
