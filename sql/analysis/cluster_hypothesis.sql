-- cluster_hypothesis: the nearest-neighbour test of the cluster hypothesis, one row per query: whether relevant
-- documents are near other relevant documents in the space of a field's vectors.
--
--   share(d)  = relevant documents among the n nearest neighbours of the relevant document d / n
--   share     = mean of share(d) over the relevant documents of the query (n = 5: Voorhees, SIGIR 1985)
--   chance    = (R - 1) / (N - 1), the expected share if neighbours were drawn at random
--
--   SELECT avg(judged_share), avg(judged_chance), avg(corpus_share), avg(corpus_chance)
--     FROM stc.cluster_hypothesis('train');
--
-- relevant, R   documents of the query with a grade of at least from_rel and a vector
-- judged_…      neighbours are sought among the N = judged documents of the query that have a vector
-- corpus_…      neighbours are sought among all N = corpus documents that have a vector; unjudged ones count as not
--               relevant, so the share is a lower bound. NULL unless in_corpus
--
-- n is smaller where there are fewer other documents. Neighbours are by cosine, equal ones by docno descending. Grades
-- below 0 are not judged. Queries with fewer than two relevant documents with a vector have no row, because none of
-- these can have a relevant neighbour. If all judged documents are relevant, judged_share and judged_chance are 1.
-- field: title, abstract or content. effort: as in knn, for the corpus; 0 compares with every document.
--
-- Raises IR102 no such edition, IR103 no such query, IR105 no such model, IR106 no such field, IR201 neighbours below
-- 1, IR405 no vectors, or no query with two relevant documents that have one.
CREATE OR REPLACE FUNCTION cluster_hypothesis(
    edition text, field text DEFAULT 'abstract', model text DEFAULT NULL, neighbours integer DEFAULT 5,
    from_rel integer DEFAULT 1, query_set text DEFAULT 'all', in_corpus boolean DEFAULT true, effort integer DEFAULT 0
)
RETURNS TABLE (query text, relevant bigint, judged bigint, judged_share double precision,
               judged_chance double precision, corpus bigint, corpus_share double precision,
               corpus_chance double precision)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(cluster_hypothesis.edition);
    space CONSTANT vector_models := vector_model(cluster_hypothesis.model);
    one record;
    docs bigint[];
    vectors vector[];
    known jsonb := '{}';  -- documents near a relevant one, by document
    near jsonb;
BEGIN
    PERFORM vector_fields(ARRAY[cluster_hypothesis.field]), check_effort(cluster_hypothesis.effort);
    IF coalesce(cluster_hypothesis.neighbours < 1, true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the number of neighbours is %s', coalesce(cluster_hypothesis.neighbours::text, 'NULL')),
            HINT = 'The number of neighbours must be 1 or more; the test was published with 5.';
    END IF;
    PERFORM check_vectors(space, ARRAY[cluster_hypothesis.field]);
    IF cluster_hypothesis.in_corpus THEN
        EXECUTE format('SELECT count(*) FROM %I WHERE %s', space.relation, vector_rows(cluster_hypothesis.field))
           INTO corpus;
    END IF;
    FOR one IN
        SELECT q.query, array_agg(j.doc) AS docs,
               array_agg(j.doc) FILTER (WHERE j.rel >= cluster_hypothesis.from_rel) AS relevant
          FROM qrels j JOIN st1_queries q ON q.id = j.query
         WHERE j.edition = edition_id AND j.rel >= 0
           AND (cluster_hypothesis.query_set = 'all'
                OR q.id IN (SELECT unnest(query_set_ids(cluster_hypothesis.query_set))))
         GROUP BY q.query
        HAVING count(*) FILTER (WHERE j.rel >= cluster_hypothesis.from_rel) > 1
         ORDER BY q.query COLLATE "C"
    LOOP
        EXECUTE format('SELECT array_agg(v.id), array_agg(l2_normalize(v.%1$I::vector)) FROM %2$I v '
                       'WHERE v.id = ANY ($1) AND v.%1$I IS NOT NULL', vector_column(cluster_hypothesis.field),
                       space.relation)
           INTO docs, vectors USING one.docs;
        one.relevant := ARRAY(SELECT r.doc FROM unnest(one.relevant) r (doc) WHERE r.doc = ANY (docs));
        CONTINUE WHEN cardinality(one.relevant) < 2;
        query := one.query;
        relevant := cardinality(one.relevant);
        judged := cardinality(docs);
        judged_chance := (relevant - 1)::double precision / (judged - 1);
        WITH named AS MATERIALIZED (
            SELECT u.doc, u.v, u.docno, u.doc = ANY (one.relevant) AS good
              FROM unnest(docs, vectors, docnos(docs)) u (doc, v, docno))
        SELECT avg(s.share) INTO judged_share
          FROM (SELECT (SELECT avg(n.good::integer)
                          FROM (SELECT b.good FROM named b WHERE b.doc <> a.doc
                                 ORDER BY a.v <#> b.v, b.docno COLLATE "C" DESC LIMIT cluster_hypothesis.neighbours) n)
                  FROM named a WHERE a.good) s (share);
        IF cluster_hypothesis.in_corpus THEN
            SELECT coalesce(jsonb_object_agg(r.doc, ARRAY(
                       SELECT n.doc FROM document_neighbours(r.doc, cluster_hypothesis.neighbours,
                                                             cluster_hypothesis.field, space.model, NULL,
                                                             cluster_hypothesis.effort) n)), '{}')
              INTO near FROM unnest(one.relevant) r (doc) WHERE NOT known ? r.doc::text;
            known := known || near;
            corpus_chance := (relevant - 1)::double precision / (corpus - 1);
            SELECT avg(s.share) INTO corpus_share
              FROM (SELECT (SELECT avg((n.doc::bigint = ANY (one.relevant))::integer)
                              FROM jsonb_array_elements_text(known -> r.doc::text) n (doc))
                      FROM unnest(one.relevant) r (doc)) s (share);
        END IF;
        RETURN NEXT;
    END LOOP;
    IF query IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no query of the edition %s has two relevant documents with a vector of the %s',
                             cluster_hypothesis.edition, cluster_hypothesis.field),
            HINT = 'Use another field (--field) or a lower grade (--from-rel).';
    END IF;
END
$$;
COMMENT ON FUNCTION cluster_hypothesis(text, text, text, integer, integer, text, boolean, integer) IS
'Nearest-neighbour test of the cluster hypothesis (Voorhees 1985): share of relevant documents among the neighbours of '
'relevant ones, by query';
