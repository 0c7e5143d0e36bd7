-- kept_edition: create an edition from another one without the queries that are cut (query_cuts).
--
-- The judgments by document and by subtopic and the preferences of all annotators are copied unchanged. Split, year,
-- scale, hidden and simulated are taken from the source. The ledger records the source as edition:NAME with its
-- fingerprint. Returns the number of queries and judgments in the new edition.
-- Raises IR102 no such edition, IR202 name missing or already used, IR405 no judgment remains.
CREATE OR REPLACE FUNCTION kept_edition(edition text, source text)
RETURNS TABLE (queries bigint, judgments bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := edition_key(kept_edition.source);
    target_id integer;
    is_hidden boolean;
BEGIN
    IF coalesce(trim(kept_edition.edition), '') = ''
       OR EXISTS (SELECT FROM qrels_editions e WHERE e.edition = kept_edition.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format(CASE WHEN trim(kept_edition.edition) <> '' THEN 'edition %L already exists'
                                  ELSE '%L is not a valid edition name' END, kept_edition.edition),
            HINT = 'Choose another name, or remove an edition with ''stc qrels drop''.';
    END IF;
    PERFORM check_name('edition', kept_edition.edition);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT kept_edition.edition, format('%s without the queries that its assessors cut', e.edition), e.split, e.year,
           e.scale, e.hidden,
           e.simulated
      FROM qrels_editions e WHERE e.id = source_id
    RETURNING id, hidden INTO target_id, is_hidden;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged,
                                 note, hidden, final)
    SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged,
           j.note, is_hidden, j.final
      FROM qrels_judgments j
     WHERE j.edition = source_id AND NOT EXISTS (SELECT FROM query_cuts c
                                                  WHERE c.edition = source_id AND c.query = j.query)
     ORDER BY j.id;  -- keep the order: of several judgments with one origin, the earliest counts
    INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)
    SELECT target_id, p.query, p.annotator, p.subgroup, p.doc, p.rel, is_hidden
      FROM qrels_preferences p
     WHERE p.edition = source_id AND NOT EXISTS (SELECT FROM query_cuts c
                                                  WHERE c.edition = source_id AND c.query = p.query);
    INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)
    SELECT target_id, t.query, t.subtopic, t.doc, t.rel, is_hidden
      FROM qrels_subtopics t
     WHERE t.edition = source_id AND NOT EXISTS (SELECT FROM query_cuts c
                                                  WHERE c.edition = source_id AND c.query = t.query);
    SELECT count(DISTINCT j.query), count(*) INTO queries, judgments FROM qrels_judgments j WHERE j.edition = target_id;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('edition %L has no judgments left', kept_edition.source),
            HINT = 'All its queries are cut, or it has no judgments. To undo a cut: ''stc synth cut EDITION --clear''.';
    END IF;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    SELECT target_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = target_id),
           'edition:' || kept_edition.source, edition_fingerprint(kept_edition.source),
           (SELECT count(*) FROM qrels j WHERE j.edition = source_id),
                  (SELECT count(*) FROM qrels j WHERE j.edition = target_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION kept_edition(text, text) IS
    'Creates an edition from another one without the queries that its assessors cut; returns the number of queries '
    'and judgments copied';
