-- pipeline_stage: the ranking of a query after one stage of a system (pipeline_stages): ids and scores by rank, by
-- trec_eval 9's rule.
--
-- docs, scores: the ranking after the stage before. The first stage searches; excluded are documents that are left out
-- for the query, and do not count. A stage of vectors scores by cosines. new_docs, new_scores: the scores of a
-- cross-encoder, which this function cannot compute. query_vector: the vector of the query by the model of the stage;
-- NULL calls embed_query. filter, model: as in system_search.
--
-- Documents without a new score follow the others in their order, as in rerank_store.
-- Raises IR404 a cross-encoder without scores, and the errors of system_search and check_vectors.
CREATE OR REPLACE FUNCTION pipeline_stage(
    stages text, place integer, query text, query_vector vector, filter jsonb, model text, excluded bigint[],
    INOUT docs bigint[], INOUT scores double precision[],
    new_docs bigint[] DEFAULT NULL, new_scores double precision[] DEFAULT NULL
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    this CONSTANT record := (SELECT s FROM pipeline_stages(pipeline_stage.stages) s
                              WHERE s.place = pipeline_stage.place);
    space CONSTANT vector_models := pipeline_model(this.system, this.field, this.model, pipeline_stage.model);
    asked vector := pipeline_stage.query_vector;
BEGIN
    IF this.system IS NOT NULL THEN
        SELECT array_agg(s.doc), array_agg(s.score) INTO docs, scores
          FROM system_search(pipeline_stage.query, this.system, this.n + cardinality(pipeline_stage.excluded), asked,
                             pipeline_stage.filter, coalesce(space.model, pipeline_stage.model)) s;
    ELSIF docs = '{}' THEN
        RETURN;
    ELSIF this.field IS NOT NULL THEN
        PERFORM check_vectors(space, CASE this.field WHEN 'document' THEN '{abstract,title}'
                                                     ELSE ARRAY[this.field] END);
        asked := l2_normalize(coalesce(asked, embed_query(pipeline_stage.query, space.model)));
        PERFORM check_query_vector(asked, space);
        EXECUTE format('SELECT array_agg(c.doc), array_agg(c.score) FROM (%s) c (doc, score)',
                       cosines_statement(this.field, space))
           INTO new_docs, new_scores USING asked, docs[:this.n];
    ELSIF new_docs IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404',
            MESSAGE = format('the stage %s needs a model, which SQL cannot run', this.stage),
            HINT = 'Use ''stc run'', ''stc search'', Python or the page; a stored run has the rankings.';
    END IF;
    IF this.system IS NULL AND new_docs IS NOT NULL THEN
        SELECT array_agg(r.doc), array_agg(CASE
                   WHEN r.score IS NOT NULL THEN r.score
                   ELSE score_below(r.lowest, r.below) END) INTO docs, scores
          FROM (SELECT o.doc, u.score, min(u.score) OVER () AS lowest,
                       count(*) FILTER (WHERE u.score IS NULL) OVER (ORDER BY o.place) AS below
                  FROM unnest(docs) WITH ORDINALITY o (doc, place)
                  LEFT JOIN unnest(new_docs, new_scores) u (doc, score) ON u.doc = o.doc) r;
    END IF;
    -- A separate statement, as in query_ranking.
    SELECT coalesce(array_agg(f.doc ORDER BY trec_score(f.score) DESC, d.docno DESC), '{}'),
           coalesce(array_agg(f.score ORDER BY trec_score(f.score) DESC, d.docno DESC), '{}')
      INTO docs, scores
      FROM unnest(docs, scores) f (doc, score) JOIN dblp d ON d.id = f.doc
     WHERE f.doc <> ALL (pipeline_stage.excluded);
    IF this.system IS NOT NULL THEN
        docs := docs[:this.n];
        scores := scores[:this.n];
    END IF;
END
$$;
COMMENT ON FUNCTION pipeline_stage(text, integer, text, vector, jsonb, text, bigint[], bigint[], double precision[],
                                   bigint[], double precision[]) IS
'Ranking of a query after one stage of a system that has several';
