-- agreement_grades: precision and recall of each grade of the other side against the reference, one row per comparison
-- and grade.
--
-- in_reference, in_other, in_both: number of documents graded by both that have the grade. rel_precision = in_both /
-- in_other, rel_recall = in_both / in_reference; NULL if a side never gives the grade. Arguments and errors as in
-- agreement_confusion.
CREATE OR REPLACE FUNCTION agreement_grades(side text, others text[] DEFAULT '{}', every boolean DEFAULT false,
                                            query_set text DEFAULT 'all')
RETURNS TABLE (
    reference text, other text, rel integer, in_reference bigint, in_other bigint, in_both bigint,
    rel_precision double precision,
    rel_recall double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT g.reference, g.other, g.rel, g.in_reference, g.in_other, g.in_both,
           g.in_both::double precision / nullif(g.in_other, 0), g.in_both::double precision / nullif(g.in_reference, 0)
      FROM (SELECT c.place, c.reference, c.other, s.rel,
                   coalesce(sum(c.pairs) FILTER (WHERE s.rel = c.reference_rel), 0)::bigint AS in_reference,
                   coalesce(sum(c.pairs) FILTER (WHERE s.rel = c.other_rel), 0)::bigint AS in_other,
                   coalesce(sum(c.pairs) FILTER (WHERE c.reference_rel = c.other_rel), 0)::bigint AS in_both
              FROM agreement_confusion(agreement_grades.side, agreement_grades.others, agreement_grades.every,
                                       agreement_grades.query_set) c
             CROSS JOIN LATERAL (SELECT c.reference_rel UNION SELECT c.other_rel) AS s (rel)
             GROUP BY c.place, c.reference, c.other, s.rel) g
     ORDER BY g.place, g.rel
$$;
COMMENT ON FUNCTION agreement_grades(text, text[], boolean, text) IS
    'Precision and recall of each grade against the reference, per comparison of two sides; NULL if a side never '
    'gives the grade';
