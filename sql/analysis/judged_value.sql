-- judged_value: compute a measure of one ranking from judgments passed as arguments instead of stored ones.
--
-- Used where judgments are removed (leave_out) or unjudged documents are removed from the ranking (score_bounds).
--
--   kind, cutoff  as returned by judged_measure
--   ranks, rels   ranks and grades of the judged documents in the ranking, best rank first
--   judged        grades of all judged documents of the query, highest first
--
-- Grades are 0 or more; a document is relevant from grade 1. The formulas and values are those of evaluate, that is of
-- trec_eval 9.
CREATE OR REPLACE FUNCTION judged_value(kind text, cutoff integer, ranks integer[], rels integer[], judged integer[])
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    relevant CONSTANT double precision := (SELECT count(*) FROM unnest(judged_value.judged) AS rel WHERE rel > 0);
    other CONSTANT double precision := cardinality(judged_value.judged) - relevant;
    value double precision;
BEGIN
    IF relevant = 0 OR relevant IS NULL OR judged_value.ranks IS NULL THEN
        RETURN 0;
    ELSIF kind = 'ndcg' THEN
        value := (SELECT sum(d.rel / ln(d.rank + 1::double precision))
                    FROM unnest(judged_value.ranks, judged_value.rels) AS d (rank, rel)
                   WHERE d.rank <= judged_value.cutoff)
               / (SELECT sum(i.rel / ln(i.rank + 1::double precision))
                    FROM unnest(judged_value.judged[:judged_value.cutoff]) WITH ORDINALITY AS i (rel, rank));
    ELSIF kind IN ('p', 'r') THEN
        value := (SELECT count(*) FROM unnest(judged_value.ranks, judged_value.rels) AS d (rank, rel)
                   WHERE d.rel > 0 AND d.rank <= judged_value.cutoff) /
                       CASE kind WHEN 'p' THEN judged_value.cutoff ELSE relevant END;
    ELSIF kind = 'rr' THEN
        value := (SELECT 1 / min(d.rank)::double precision
                    FROM unnest(judged_value.ranks, judged_value.rels) AS d (rank, rel) WHERE d.rel > 0);
    ELSIF kind = 'ap' THEN
        value := (SELECT sum(d.i / d.rank::double precision)
                    FROM (SELECT d.rank, row_number() OVER (ORDER BY d.rank) AS i
                            FROM unnest(judged_value.ranks, judged_value.rels) AS d (rank, rel)
                           WHERE d.rel > 0) d) / relevant;
    ELSE
        value := (SELECT sum(1 - coalesce(least(d.above, relevant) / nullif(least(other, relevant), 0), 0))
                    FROM (SELECT d.rel, count(*) FILTER (WHERE d.rel = 0) OVER (ORDER BY d.rank) AS above
                            FROM unnest(judged_value.ranks, judged_value.rels) AS d (rank, rel)) d
                   WHERE d.rel > 0) / relevant;
    END IF;
    RETURN coalesce(value, 0);
END
$$;
COMMENT ON FUNCTION judged_value(text, integer, integer[], integer[], integer[]) IS
    'A measure of one ranking, computed from the given ranks and grades of its judged documents and the grades of '
    'the query';
