-- kept_edition: create an edition from another one without the queries that are cut (query_cuts), by copy_edition.
-- Returns the number of queries and judgments in the new edition.
-- Raises IR102 no such edition, IR202 name missing or already used, IR405 no judgment remains.
CREATE OR REPLACE FUNCTION kept_edition(edition text, source text)
RETURNS TABLE (queries bigint, judgments bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    target_id CONSTANT integer := copy_edition(
        kept_edition.edition, kept_edition.source,
        format('%s without the queries that its assessors cut', kept_edition.source), true);
BEGIN
    SELECT count(DISTINCT j.query), count(*) INTO queries, judgments FROM qrels_judgments j WHERE j.edition = target_id;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('edition %L has no judgments left', kept_edition.source),
            HINT = 'All its queries are cut, or it has no judgments. To undo a cut: ''stc synth cut EDITION --clear''.';
    END IF;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION kept_edition(text, text) IS
    'Creates an edition from another one without the queries that its assessors cut; returns the number of queries '
    'and judgments copied';
