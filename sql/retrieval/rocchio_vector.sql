-- rocchio_vector: move a query vector towards relevant documents and away from nonrelevant ones.
--
--   q' = alpha · q + beta · mean of the relevant documents' vectors − gamma · mean of the nonrelevant ones',
--        normalised to length 1
--
-- (Rocchio, in Salton, The SMART Retrieval System, 1971; for dense vectors as pseudo-relevance feedback Li, Mourad,
-- Zhuang, Koopman & Zuccon, "Pseudo relevance feedback with deep language models and dense retrievers", 2021, and ACM
-- TOIS 41(3), 2023.)
--
-- All vectors have length 1. relevant, nonrelevant: judged documents (dblp.id); if either is given, even as an empty
-- list, these are the feedback. Otherwise the first fb_docs that dense_search finds for the query, with filter and
-- effort, are treated as relevant (pseudo feedback). A document without a vector of the field is not counted in the
-- mean.
--
-- Raises IR104 no such document, IR105 no such model, IR106 no such field, IR201 fb_docs below 1, IR202 no query
-- vector, a weight that is negative or not a number, or an invalid filter, IR403 a query vector of another dimension,
-- IR405 no vectors.
CREATE OR REPLACE FUNCTION rocchio_vector(
    query vector, field text DEFAULT 'abstract', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    fb_docs integer DEFAULT 3,
    alpha double precision DEFAULT 1, beta double precision DEFAULT 0.75, gamma double precision DEFAULT 0.15,
    relevant bigint[] DEFAULT NULL, nonrelevant bigint[] DEFAULT NULL, effort integer DEFAULT NULL
)
RETURNS vector
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(rocchio_vector.model);
    judged CONSTANT boolean := rocchio_vector.relevant IS NOT NULL OR rocchio_vector.nonrelevant IS NOT NULL;
    weights CONSTANT double precision[] := ARRAY[rocchio_vector.alpha, rocchio_vector.beta, rocchio_vector.gamma];
    known bigint[];
    unknown bigint;
    asked vector;
    mean vector;
    moved vector;
BEGIN
    IF rocchio_vector.field = 'passage' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = 'passage is not a field of documents',
            HINT = 'The fields of documents are title, abstract and content.';
    ELSIF rocchio_vector.query IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the query vector is NULL',
            HINT = 'Use embed_query(text) for the vector of a query.';
    ELSIF vector_dims(rocchio_vector.query) <> space.dim THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the query vector has %s, those of %s have %s',
                             counted(vector_dims(rocchio_vector.query), 'dimension'), space.model, space.dim),
            HINT = 'Embed the query with the same model as the documents.';
    ELSIF rocchio_vector.fb_docs IS NULL OR rocchio_vector.fb_docs < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('fb_docs is %s', coalesce(rocchio_vector.fb_docs::text, 'NULL')),
            HINT = 'fb_docs is the number of first documents treated as relevant, 1 or more.';
    ELSIF EXISTS (SELECT FROM unnest(weights) w WHERE w IS NULL OR NOT (w >= 0 AND w < 'Infinity')) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('alpha, beta and gamma are %s', array_to_string(weights, ', ', 'NULL')),
            HINT = 'All three must be numbers of 0 or more; gamma is subtracted.';
    END IF;
    known := ARRAY(SELECT d.id FROM dblp d WHERE d.id = ANY (rocchio_vector.relevant || rocchio_vector.nonrelevant));
    SELECT u.id INTO unknown
      FROM unnest(rocchio_vector.relevant || rocchio_vector.nonrelevant) u (id)
     WHERE u.id IS NULL OR u.id <> ALL (known) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('there is no document %s', coalesce(unknown::text, 'NULL')),
            HINT = 'relevant and nonrelevant are lists of dblp.id; find one with SELECT id FROM dblp WHERE docno = ….';
    END IF;

    asked := l2_normalize(rocchio_vector.query);
    moved := array_fill(rocchio_vector.alpha::real, ARRAY[space.dim])::vector * asked;
    FOR sign IN 0..1 LOOP
        EXECUTE format('SELECT avg(l2_normalize(v.%1$I::vector)) FROM %2$I v WHERE v.id = ANY ($1) AND v.%1$I IS NOT '
                       'NULL',
                       vector_column(rocchio_vector.field), vector_relation(space, rocchio_vector.field))
           INTO mean
          USING CASE WHEN sign = 1 THEN rocchio_vector.nonrelevant
                     WHEN judged THEN rocchio_vector.relevant
                     ELSE ARRAY(SELECT s.doc
                                  FROM dense_search(asked, rocchio_vector.fb_docs, rocchio_vector.field, space.model,
                                                               rocchio_vector.filter, rocchio_vector.effort) s) END;
        IF mean IS NOT NULL THEN
            mean := array_fill(CASE sign WHEN 0 THEN rocchio_vector.beta ELSE rocchio_vector.gamma END::real,
                               ARRAY[space.dim])::vector
                * mean;
            moved := CASE sign WHEN 0 THEN moved + mean ELSE moved - mean END;
        END IF;
    END LOOP;
    RETURN l2_normalize(moved);
END
$$;
COMMENT ON FUNCTION rocchio_vector(
    vector, text, text, jsonb, integer, double precision, double precision, double precision, bigint[],
    bigint[], integer
) IS 'Query vector moved towards relevant documents (judged, or the first found) and away from nonrelevant ones';
