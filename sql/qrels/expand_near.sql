-- expand_near: create an edition with a copy of another's judgments and their expansion by the temporary table near
-- (stage_near). Returns the numbers of judgments copied and added: judged pairs of query and document, as in
-- edition_overview. All stored judgments are copied, of each annotator and origin.
--
-- Adds at most neighbours documents per source, with a cosine of at least threshold. Documents that the edition already
-- judges, of any origin, are not changed, and those that are left out for a query (exclude_documents) are not added. A
-- document near several sources of a query is attributed to the nearest. New judgments have the origin knn, with source
-- document and similarity. rel: grade of all neighbours; NULL for the grade of their source.
--
-- The new edition has the split, year and scale of the old one, and is hidden or simulated if that is. The ledger
-- records the old one as its source.
-- Raises IR202 the new edition exists.
CREATE OR REPLACE FUNCTION expand_near(
    edition_id integer, expansion text, neighbours integer, threshold double precision, rel integer, description text,
    OUT copied bigint, OUT added bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    target_id integer;
    is_hidden boolean;
    part record;
    stored bigint;
    copied_rows bigint := 0;
    sources bigint[];
    docnos text[];
BEGIN
    PERFORM check_name('edition', expand_near.expansion);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT expand_near.expansion, expand_near.description, e.split, e.year, e.scale, e.hidden, e.simulated
      FROM qrels_editions e WHERE e.id = expand_near.edition_id
    ON CONFLICT (edition) DO NOTHING
    RETURNING id, hidden INTO target_id, is_hidden;
    IF target_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %s already exists', expand_near.expansion),
            HINT = 'Choose another name with --into, or remove an edition with stc.drop_edition(edition).';
    END IF;
    SELECT count(*) INTO copied FROM qrels j WHERE j.edition = expand_near.edition_id;
    -- some 50,000 judgments at a time, as in import_qrels
    FOR part IN
        SELECT min(n.id) AS first, max(n.id) AS last
          FROM (SELECT j.id, row_number() OVER (ORDER BY j.id) AS place
                  FROM qrels_judgments j WHERE j.edition = expand_near.edition_id) n
         GROUP BY n.place / 50000 ORDER BY 1
    LOOP
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged,
                                     note, hidden, final)
        SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged,
               j.note, is_hidden, j.final
          FROM qrels_judgments j
         WHERE j.edition = expand_near.edition_id AND j.id BETWEEN part.first AND part.last ORDER BY j.id;
        GET DIAGNOSTICS stored = ROW_COUNT;
        copied_rows := copied_rows + stored;
    END LOOP;
    added := 0;
    SELECT array_agg(d.id), array_agg(d.docno) INTO sources, docnos
      FROM dblp d WHERE d.id = ANY (ARRAY(SELECT DISTINCT n.source FROM pg_temp.near n));
    FOR part IN
        SELECT min(n.query) AS first, max(n.query) AS last
          FROM (SELECT n.query, sum(count(*)) OVER (ORDER BY n.query) AS rows FROM pg_temp.near n GROUP BY n.query) n
         GROUP BY ceil(n.rows / 50000) ORDER BY 1
    LOOP
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, source_doc, similarity, hidden)
        SELECT DISTINCT ON (n.query, n.doc) target_id, n.query, n.doc, coalesce(expand_near.rel, n.rel), 'knn',
               n.source, n.similarity, is_hidden
          FROM pg_temp.near n JOIN unnest(sources, docnos) d (id, docno) ON d.id = n.source
         WHERE n.query BETWEEN part.first AND part.last
           AND n.place <= expand_near.neighbours AND n.similarity >= expand_near.threshold
           AND NOT EXISTS (SELECT FROM qrels_judgments k
                            WHERE k.edition = expand_near.edition_id AND k.query = n.query AND k.doc = n.doc)
           AND NOT EXISTS (SELECT FROM st1_queries q WHERE q.id = n.query AND n.doc = ANY (q.excluded))
         ORDER BY n.query, n.doc, n.similarity DESC, d.docno DESC;
        GET DIAGNOSTICS stored = ROW_COUNT;
        added := added + stored;
    END LOOP;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    SELECT target_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = target_id),
           'edition:' || e.edition, edition_fingerprint(e.edition), copied_rows,
           copied_rows
      FROM qrels_editions e WHERE e.id = expand_near.edition_id;
END
$$;
COMMENT ON FUNCTION expand_near(integer, text, integer, double precision, integer, text) IS
    'Creates an edition with a copy of another''s judgments and their expansion by the temporary table near';
