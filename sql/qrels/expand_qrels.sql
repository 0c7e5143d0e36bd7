-- expand_qrels: makes an edition of its own that holds a copy of another's judgments and their expansion by title neighbours.
--
-- Of each document judged from_rel or better, by a person or a language model, the nearest others by title (neighbours of them at
-- most, of a cosine of at least threshold) are taken for as relevant: origin knn, with the source document and the similarity. What
-- the edition judges already stays as it is, whatever its origin; no document is its own neighbour; a document near to several
-- sources of a query is so for the nearest. The neighbours are exact (equal ones by docno descending), not those of an index.
-- into_edition: the new edition's name, by default <edition>-knn. rel: the grade of all neighbours, in place of their source's.
-- Returns the new edition, the judgments copied and added, and of how many sources there was a title vector and of how many none.
--
-- Raises IR102 no such edition, IR201 neighbours below 1, IR202 the new edition exists or a threshold outside [-1, 1], IR405 no
-- title vectors.
CREATE OR REPLACE FUNCTION expand_qrels(
    edition text, into_edition text DEFAULT NULL, neighbours integer DEFAULT 10, threshold double precision DEFAULT 0.8,
    from_rel integer DEFAULT 2, rel integer DEFAULT NULL
)
RETURNS TABLE (expansion text, copied bigint, added bigint, sources bigint, without_vector bigint)
LANGUAGE plpgsql
SET search_path = public, pg_temp
SET jit = off
SET work_mem = '256MB'  -- the sources' vectors are gone through once a document
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model();
    source_id integer;
    target_id integer;
BEGIN
    SELECT e.id INTO source_id FROM qrels_editions e WHERE e.edition = expand_qrels.edition COLLATE "C";
    expansion := coalesce(expand_qrels.into_edition, expand_qrels.edition || '-knn');
    IF source_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %s', coalesce(expand_qrels.edition, 'NULL')),
            HINT = '''stc qrels editions'' lists those there are.';
    ELSIF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = expansion COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is an edition %s already', expansion),
            HINT = 'Take another name by --into; drop_edition(edition) removes an edition.';
    ELSIF expand_qrels.neighbours IS NULL OR expand_qrels.neighbours < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('%s neighbours', coalesce(expand_qrels.neighbours::text, 'NULL')),
            HINT = 'It is 1 or more; 10 is usual.';
    ELSIF expand_qrels.threshold IS NULL OR expand_qrels.threshold NOT BETWEEN -1 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the threshold is %s', coalesce(expand_qrels.threshold::text, 'NULL')),
            HINT = 'It is a cosine, from -1 to 1; 0.8 is usual.';
    END IF;
    EXECUTE format(
        $sql$SELECT count(v.title_v), count(*) - count(v.title_v)
               FROM (SELECT DISTINCT j.doc FROM qrels j WHERE j.edition = $1 AND j.rel >= $2 AND j.origin <> 'knn') s
               LEFT JOIN %I v ON v.id = s.doc$sql$, space.relation)
       INTO sources, without_vector USING source_id, expand_qrels.from_rel;
    IF sources = 0 AND without_vector > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('none of the %s documents judged %s or better has a title vector',
                             without_vector, expand_qrels.from_rel),
            HINT = '''stc vectors embed'' makes them.';
    END IF;

    INSERT INTO qrels_editions (edition, description)
    VALUES (expansion, format('%s with up to %s title neighbours of cosine >= %s of each document judged %s or better',
                              expand_qrels.edition, expand_qrels.neighbours, expand_qrels.threshold, expand_qrels.from_rel))
    RETURNING id INTO target_id;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged)
    SELECT target_id, j.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc, j.similarity, j.judged
      FROM qrels_judgments j WHERE j.edition = source_id ORDER BY j.id;
    GET DIAGNOSTICS copied = ROW_COUNT;

    -- All titles are gone through once, and for each the sources, in memory: OFFSET 0 keeps the planner from turning that round.
    -- l2_normalize takes a vector out of its TOAST table, once a row.
    EXECUTE format(
        $sql$INSERT INTO qrels_judgments (edition, query, doc, rel, origin, source_doc, similarity)
             WITH source AS MATERIALIZED (
                 SELECT v.id, l2_normalize(v.title_v) AS v FROM %1$I v
                  WHERE v.title_v IS NOT NULL AND v.id IN (
                        SELECT j.doc FROM qrels j WHERE j.edition = $1 AND j.rel >= $3 AND j.origin <> 'knn')),
             near AS (
                 SELECT s.id AS source, o.id, s.distance, d.docno,
                        row_number() OVER (PARTITION BY s.id ORDER BY s.distance, d.docno DESC) AS place
                   FROM (SELECT v.id, l2_normalize(v.title_v) AS v FROM %1$I v WHERE v.title_v IS NOT NULL OFFSET 0) o
                  CROSS JOIN LATERAL (SELECT source.id, source.v <#> o.v AS distance FROM source
                                       WHERE source.v <#> o.v <= -$4 AND source.id <> o.id OFFSET 0) s
                   JOIN dblp d ON d.id = o.id)
             SELECT DISTINCT ON (j.query, n.id) $2, j.query, n.id, coalesce($6, j.rel), 'knn', n.source, least(1, -n.distance)
               FROM near n
               JOIN qrels j ON j.edition = $1 AND j.doc = n.source AND j.rel >= $3 AND j.origin <> 'knn'
               JOIN dblp d ON d.id = n.source
              WHERE n.place <= $5
                AND NOT EXISTS (SELECT FROM qrels_judgments k WHERE k.edition = $1 AND k.query = j.query AND k.doc = n.id)
              ORDER BY j.query, n.id, n.distance, d.docno DESC$sql$, space.relation)
    USING source_id, target_id, expand_qrels.from_rel, expand_qrels.threshold, expand_qrels.neighbours, expand_qrels.rel;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION expand_qrels(text, text, integer, double precision, integer, integer) IS
'Makes an edition that holds another''s judgments and their expansion by exact title neighbours';
