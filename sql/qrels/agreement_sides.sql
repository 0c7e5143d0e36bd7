-- agreement_sides: sides available in an edition, or in a pool if its key is given, one row per origin and annotator,
-- with the name that agreement_side reads and the number of documents graded. Ordered by origin (human, llm, knn) and
-- annotator.
--
-- Final decisions are no side: they were made with the grades of the others in view. Negative grades (not judged) are
-- not counted. The name is EDITION:ORIGIN if the origin has one annotator without a name, and JSON if the short form is
-- ambiguous.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION agreement_sides(edition text, pool integer DEFAULT NULL)
RETURNS TABLE (side text, origin text, annotator text, judgments bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key integer := CASE WHEN agreement_sides.pool IS NULL THEN edition_key(agreement_sides.edition) END;
BEGIN
    IF agreement_sides.pool IS NOT NULL THEN
        RETURN QUERY SELECT * FROM pool_sides(agreement_sides.pool);
        RETURN;
    END IF;
    RETURN QUERY
    SELECT agreement_name(agreement_sides.edition, n.origin,
                          CASE WHEN n.annotator <> '' OR n.annotators > 1 THEN n.annotator END),
           n.origin, n.annotator, n.judgments
      FROM (SELECT j.origin, j.annotator, count(*) FILTER (WHERE j.rel >= 0) AS judgments,
                   count(*) OVER (PARTITION BY j.origin) AS annotators
              FROM qrels_judgments j WHERE j.edition = key AND NOT j.final
             GROUP BY j.origin, j.annotator) n
     ORDER BY array_position('{human,llm,knn}', n.origin), n.annotator COLLATE "C";
END
$$;
COMMENT ON FUNCTION agreement_sides(text, integer) IS
    'The origins and annotators of an edition, with the names that agreement accepts and the number of documents '
    'graded';
