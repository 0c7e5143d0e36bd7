-- expand_near: makes an edition that holds a copy of another's judgments and their expansion by the temporary table
-- near (stage_near).
--
-- Of the nearest others (neighbours of each source at most, of a cosine of at least threshold) what the edition judges
-- already stays as it is, whatever its origin; a document near to several sources of a query is so for the nearest. The
-- rest get the origin knn, with source document and similarity. rel: the grade of all neighbours, in place of their
-- source's.
-- The new edition is of the same split, year and scale, hidden and simulated as the old one is. The ledger names the
-- old one as its source.
-- Returns the judgments copied and added.
-- Raises IR202 the new edition exists, IR201 neighbours below 1.
CREATE OR REPLACE FUNCTION expand_near(
    edition_id integer, expansion text, neighbours integer, threshold double precision, rel integer, description text,
    OUT copied bigint, OUT added bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    target_id integer;
    is_hidden boolean;
BEGIN
    PERFORM check_name('edition', expand_near.expansion);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT expand_near.expansion, expand_near.description, e.split, e.year, e.scale, e.hidden, e.simulated
      FROM qrels_editions e WHERE e.id = expand_near.edition_id
    ON CONFLICT (edition) DO NOTHING
    RETURNING id, hidden INTO target_id, is_hidden;
    IF target_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('there is an edition %s already', expand_near.expansion),
            HINT = 'Take another name by --into; stc.drop_edition(edition) removes an edition.';
    END IF;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged,
                                 note, hidden)
    SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged,
           j.note, is_hidden
      FROM qrels_judgments j WHERE j.edition = expand_near.edition_id ORDER BY j.id;
    GET DIAGNOSTICS copied = ROW_COUNT;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, source_doc, similarity, hidden)
    SELECT DISTINCT ON (n.query, n.doc) target_id, n.query, n.doc, coalesce(expand_near.rel, n.rel), 'knn', n.source,
           n.similarity,
           is_hidden
      FROM pg_temp.near n JOIN dblp d ON d.id = n.source
     WHERE n.place <= expand_near.neighbours AND n.similarity >= expand_near.threshold
       AND NOT EXISTS (SELECT FROM qrels_judgments k
                        WHERE k.edition = expand_near.edition_id AND k.query = n.query AND k.doc = n.doc)
     ORDER BY n.query, n.doc, n.similarity DESC, d.docno DESC;
    GET DIAGNOSTICS added = ROW_COUNT;
    INSERT INTO qrels_files (edition, path, sha256, judgments, added)
    SELECT target_id, 'edition:' || e.edition, edition_fingerprint(e.edition), copied, copied
      FROM qrels_editions e WHERE e.id = expand_near.edition_id;
END
$$;
COMMENT ON FUNCTION expand_near(integer, text, integer, double precision, integer, text) IS
    'Makes an edition of another''s judgments and their expansion by the temporary table near';
