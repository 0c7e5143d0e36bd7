-- copy_edition: create an edition as a copy of another one, and return its key. kept: without the queries that are cut
-- (query_cuts), and so without cuts.
--
-- Strata, and the judgments by document and by subtopic and preferences of all annotators are copied. Split, year,
-- scale, hidden and simulated are taken from the source, the seal is not. The ledger records the source as edition:NAME
-- with its fingerprint.
-- Raises IR102 no such edition, IR202 name missing or already used.
CREATE OR REPLACE FUNCTION copy_edition(edition text, source text, description text, kept boolean DEFAULT false)
RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := edition_key(copy_edition.source);
    cuts CONSTANT integer[] := CASE WHEN copy_edition.kept
                                    THEN ARRAY(SELECT c.query FROM query_cuts c WHERE c.edition = source_id)
                                    ELSE '{}' END;
    target_id integer;
    is_hidden boolean;
BEGIN
    IF coalesce(trim(copy_edition.edition), '') = ''
       OR EXISTS (SELECT FROM qrels_editions e WHERE e.edition = copy_edition.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format(CASE WHEN trim(copy_edition.edition) <> '' THEN 'edition %L already exists'
                                  ELSE '%L is not a valid edition name' END, copy_edition.edition),
            HINT = 'Choose another name, or remove an edition with ''stc drop edition''.';
    END IF;
    PERFORM check_name('edition', copy_edition.edition);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT copy_edition.edition, copy_edition.description, e.split, e.year, e.scale, e.hidden, e.simulated
      FROM qrels_editions e WHERE e.id = source_id
    RETURNING id, hidden INTO target_id, is_hidden;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged,
                                 note, hidden, final)
    SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged,
           j.note, is_hidden, j.final
      FROM qrels_judgments j
     WHERE j.edition = source_id AND j.query <> ALL (cuts)
     ORDER BY j.id;  -- keep the order: of several judgments with one origin, the earliest counts
    INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)
    SELECT target_id, p.query, p.annotator, p.subgroup, p.doc, p.rel, is_hidden
      FROM qrels_preferences p WHERE p.edition = source_id AND p.query <> ALL (cuts);
    INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)
    SELECT target_id, t.query, t.subtopic, t.doc, t.rel, is_hidden
      FROM qrels_subtopics t WHERE t.edition = source_id AND t.query <> ALL (cuts);
    INSERT INTO qrels_strata (edition, query, doc, stratum, drawn, hidden)
    SELECT target_id, s.query, s.doc, s.stratum, s.drawn, is_hidden
      FROM qrels_strata s WHERE s.edition = source_id AND s.query <> ALL (cuts);
    INSERT INTO query_cuts (edition, query, reason, note, cut, hidden)
    SELECT target_id, c.query, c.reason, c.note, c.cut, is_hidden
      FROM query_cuts c WHERE c.edition = source_id AND NOT copy_edition.kept;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    SELECT target_id, is_hidden, 'edition:' || copy_edition.source, edition_fingerprint(copy_edition.source),
           (SELECT count(*) FROM qrels j WHERE j.edition = source_id),
           (SELECT count(*) FROM qrels j WHERE j.edition = target_id);
    RETURN target_id;
END
$$;
COMMENT ON FUNCTION copy_edition(text, text, text, boolean) IS
    'Creates an edition as a copy of another one, with the judgments of all annotators; returns its key';
