-- expand_qrels: makes an edition of its own that holds a copy of another's judgments and their expansion by
-- neighbouring documents.
--
-- Of each document judged from_rel or better, by a person or a language model, the nearest others by the vectors of a
-- field (neighbours of them at most, of a cosine of at least threshold) are taken for as relevant: origin knn, with the
-- source document and the similarity. What the edition judges already stays as it is, no document is its own neighbour,
-- and a document near to several sources of a query is so for the nearest. Queries that an edition of the split test
-- judges are refused unless test names it.
--
-- into_edition: the new edition's name, by default <edition>-knn. rel: the grade of all neighbours, in place of their
-- source's.
-- field: title, abstract or content; model: NULL is the default one. effort: 0 is exact, NULL takes the vector index
-- (near_documents). Returns the new edition, the judgments copied and added, and of how many sources there was a vector
-- and of how many none.
--
-- Raises IR102 no such edition, IR105 no such model, IR106 no such field, IR201 neighbours below 1, IR202 the new
-- edition exists, a threshold outside [-1, 1] or queries of a test, IR405 no vectors.
CREATE OR REPLACE FUNCTION public.expand_qrels(
    edition text, into_edition text DEFAULT NULL, neighbours integer DEFAULT 10, threshold double precision DEFAULT 0.8,
    from_rel integer DEFAULT 2, rel integer DEFAULT NULL, field text DEFAULT 'title', model text DEFAULT NULL,
    test text[] DEFAULT '{}', effort integer DEFAULT 0
)
RETURNS TABLE (expansion text, copied bigint, added bigint, sources bigint, without_vector bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    staged record;
BEGIN
    expansion := coalesce(expand_qrels.into_edition, expand_qrels.edition || '-knn');
    -- told before the work is done
    IF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = expansion COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is an edition %s already', expansion),
            HINT = 'Take another name by --into; stc.drop_edition(edition) removes an edition.';
    END IF;
    SELECT * INTO staged
      FROM stage_near(expand_qrels.edition, expand_qrels.neighbours, expand_qrels.threshold, expand_qrels.from_rel,
                                         expand_qrels.field, expand_qrels.model, expand_qrels.test,
                                         expand_qrels.effort);
    sources := staged.sources;
    without_vector := staged.without_vector;
    SELECT e.copied, e.added INTO copied, added
      FROM expand_near(staged.edition_id, expansion, expand_qrels.neighbours, expand_qrels.threshold, expand_qrels.rel,
                       format('%s with up to %s neighbours by %s%s of cosine >= %s of each document judged %s or '
                              'better%s',
                              expand_qrels.edition, expand_qrels.neighbours, expand_qrels.field,
                              coalesce(' of ' || expand_qrels.model, ''), expand_qrels.threshold, expand_qrels.from_rel,
                              CASE WHEN expand_qrels.effort IS DISTINCT FROM 0 THEN ', found by the index'
                                   ELSE '' END)) e;
    DROP TABLE pg_temp.near;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.expand_qrels(text, text, integer, double precision, integer, integer, text, text, text[],
                                        integer) IS
'Makes an edition that holds another''s judgments and their expansion by neighbouring documents';
