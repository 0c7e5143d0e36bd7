-- kept_edition: makes an edition of another's judgments without the queries that are cut (query_cuts): of all
-- annotators, as they are, preferences too. Split, year, scale and whether it is hidden or simulated are the source's,
-- and the ledger names it as edition:NAME with its fingerprint. Returns what there is in the new one.
-- Raises IR102 no such edition, IR202 no name or one that is taken, IR405 nothing is left.
CREATE OR REPLACE FUNCTION kept_edition(edition text, source text)
RETURNS TABLE (queries bigint, judgments bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := edition_key(kept_edition.source);
    target_id integer;
    is_hidden boolean;
BEGIN
    IF coalesce(trim(kept_edition.edition), '') = ''
       OR EXISTS (SELECT FROM qrels_editions e WHERE e.edition = kept_edition.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format(CASE WHEN trim(kept_edition.edition) <> '' THEN 'there is an edition %L already'
                                  ELSE '%L is no name of an edition' END, kept_edition.edition),
            HINT = 'Give the new one another name; ''stc qrels drop'' removes an edition.';
    END IF;
    PERFORM check_name('edition', kept_edition.edition);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT kept_edition.edition, format('%s without the queries that its assessors cut', e.edition), e.split, e.year,
           e.scale, e.hidden,
           e.simulated
      FROM qrels_editions e WHERE e.id = source_id
    RETURNING id, hidden INTO target_id, is_hidden;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged,
                                 note, hidden)
    SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged,
           j.note, is_hidden
      FROM qrels_judgments j
     WHERE j.edition = source_id AND NOT EXISTS (SELECT FROM query_cuts c
                                                  WHERE c.edition = source_id AND c.query = j.query)
     ORDER BY j.id;  -- of several judgments of one origin the earliest counts
    INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)
    SELECT target_id, p.query, p.annotator, p.subgroup, p.doc, p.rel, is_hidden
      FROM qrels_preferences p
     WHERE p.edition = source_id AND NOT EXISTS (SELECT FROM query_cuts c
                                                  WHERE c.edition = source_id AND c.query = p.query);
    SELECT count(DISTINCT j.query), count(*) INTO queries, judgments FROM qrels_judgments j WHERE j.edition = target_id;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('nothing is left of the edition %L', kept_edition.source),
            HINT = 'All its queries are cut, or it judges none: ''stc synth cut EDITION --clear'' takes the cut back.';
    END IF;
    INSERT INTO qrels_files (edition, path, sha256, judgments, added)
    SELECT target_id, 'edition:' || kept_edition.source, edition_fingerprint(kept_edition.source),
           (SELECT count(*) FROM qrels j WHERE j.edition = source_id),
                  (SELECT count(*) FROM qrels j WHERE j.edition = target_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION kept_edition(text, text) IS
'Makes an edition of another without the queries that its assessors cut';
