-- annotation_agreement: inter-annotator agreement within each group of annotators, between each two groups, and over
-- all annotators, one row each.
--
-- Within a group group_a = group_b; both are NULL for all annotators together. pairs: number of pairs of grades of one
-- document by two annotators, within the group or one of each group; documents: number of documents with such a pair;
-- annotators: number of annotators who graded the aspect.
--
--   accuracy        share of the pairs with the same grade
--   kappa, _linear, _quadratic   mean of cohen_kappa over all pairs of annotators, weighted by the documents that both
--                                graded (Light, Psychological Bulletin 76(5), 1971, uses the plain mean); pairs with an
--                                undefined kappa are omitted
--   alpha_ordinal   Krippendorff's alpha: within a group and over all krippendorff_alpha, one unit per document;
--                   between two groups coincidence_alpha of the pairs, which excludes agreement within either group
--
-- Raises IR111, IR202, IR405 as annotation_groups.
CREATE OR REPLACE FUNCTION annotation_agreement(aspect text DEFAULT 'complexity', groups text[] DEFAULT '{}')
RETURNS TABLE (group_a text, group_b text, annotators bigint, documents bigint, pairs bigint, accuracy double precision,
               kappa double precision, kappa_linear double precision, kappa_quadratic double precision,
               alpha_ordinal double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    asked text[] := annotation_groups(annotation_agreement.aspect, annotation_agreement.groups);
BEGIN
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT a.doc, a.grade::integer AS grade, w.annotator, array_position(asked, w.annotator_group) AS place
          FROM annotations a JOIN annotators w ON w.annotator = a.annotator
         WHERE a.aspect = annotation_agreement.aspect AND w.annotator_group = ANY (asked)),
    compared AS (  -- 0, 0 is all annotators
        SELECT a.place AS a, b.place AS b
          FROM generate_subscripts(asked, 1) AS a (place), generate_subscripts(asked, 1) AS b (place)
         WHERE a.place <= b.place
        UNION ALL
        SELECT 0, 0 WHERE cardinality(asked) > 1),
    people AS (SELECT g.place, count(DISTINCT g.annotator) AS annotators FROM given g GROUP BY g.place),
    counted AS (SELECT g.doc, g.place, g.grade, count(*) AS n FROM given g GROUP BY g.doc, g.place, g.grade),
    cells AS MATERIALIZED (  -- pairs by document; within a group each pair once, ordered by its grades
        SELECT a.doc, a.place AS a, b.place AS b, a.grade AS x, b.grade AS y,
               CASE WHEN a.place < b.place OR a.grade < b.grade THEN a.n * b.n ELSE a.n * (a.n - 1) / 2 END AS n
          FROM counted a JOIN counted b ON b.doc = a.doc
          AND (a.place < b.place OR a.place = b.place AND a.grade <= b.grade)),
    seen AS (
        SELECT c.a, c.b, p.a AS of_a, p.b AS of_b, c.doc, c.x, c.y, c.n
          FROM cells c JOIN compared p ON (p.a, p.b) = (c.a, c.b) OR p.a = 0 WHERE c.n > 0),
    totals AS (
        SELECT s.of_a, s.of_b, count(DISTINCT s.doc) AS documents, sum(s.n)::bigint AS pairs,
               coalesce(sum(s.n) FILTER (WHERE s.x = s.y), 0)::double precision / sum(s.n) AS accuracy
          FROM seen s GROUP BY s.of_a, s.of_b),
    crossed AS (
        SELECT m.a, m.b, coincidence_alpha(array_agg(m.x) || array_agg(m.y), array_agg(m.y) || array_agg(m.x),
                                           array_agg(m.n) || array_agg(m.n), 'ordinal') AS alpha
          FROM (SELECT c.a, c.b, c.x, c.y, sum(c.n)::double precision AS n FROM cells c WHERE c.a < c.b
                 GROUP BY c.a, c.b, c.x, c.y) m
         GROUP BY m.a, m.b),
    inside AS (
        SELECT p.a, p.b, krippendorff_alpha(array_agg(g.doc), array_agg(g.grade), 'ordinal') AS alpha
          FROM compared p JOIN given g ON p.a = 0 OR p.a = g.place WHERE p.a = p.b GROUP BY p.a, p.b),
    kappas AS (
        SELECT p.a, p.b, sum(k.kappa * k.documents) / sum(k.documents) FILTER (WHERE k.kappa IS NOT NULL) AS kappa,
               sum(k.kappa_linear * k.documents) / sum(k.documents) FILTER (WHERE k.kappa IS NOT NULL) AS kappa_linear,
               sum(k.kappa_quadratic * k.documents)
                   / sum(k.documents) FILTER (WHERE k.kappa IS NOT NULL) AS kappa_quadratic
          FROM annotator_agreement(annotation_agreement.aspect, asked) k
          JOIN compared p ON p.a = 0 OR asked[p.a] = k.group_a AND asked[p.b] = k.group_b
         GROUP BY p.a, p.b)
    SELECT asked[p.a], asked[p.b],
           (SELECT sum(w.annotators)::bigint FROM people w WHERE p.a = 0 OR w.place IN (p.a, p.b)),
           coalesce(t.documents, 0), coalesce(t.pairs, 0), t.accuracy, k.kappa, k.kappa_linear, k.kappa_quadratic,
           coalesce(c.alpha, i.alpha)
      FROM compared p
      LEFT JOIN totals t ON (t.of_a, t.of_b) = (p.a, p.b)
      LEFT JOIN kappas k ON (k.a, k.b) = (p.a, p.b)
      LEFT JOIN crossed c ON (c.a, c.b) = (p.a, p.b)
      LEFT JOIN inside i ON (i.a, i.b) = (p.a, p.b)
     ORDER BY p.a = 0, p.a <> p.b, p.a, p.b;
END
$$;
COMMENT ON FUNCTION annotation_agreement(text, text[]) IS
'Inter-annotator agreement within each group of annotators, between each two groups, and over all annotators';
