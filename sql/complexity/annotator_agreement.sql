-- annotator_agreement: the agreement of each two annotators on the documents that both graded for an aspect, one row
-- per pair with such a document. a is the annotator of the first group, then the first by name.
--
--   accuracy                            share of the documents with the same grade
--   kappa, kappa_linear, _quadratic     cohen_kappa
--
-- groups: the groups to compare; all by default. kappa is NULL if both annotators gave the same single grade to all
-- documents.
-- Raises IR111, IR202, IR405 as annotation_groups.
CREATE OR REPLACE FUNCTION annotator_agreement(aspect text DEFAULT 'complexity', groups text[] DEFAULT '{}')
RETURNS TABLE (group_a text, annotator_a text, group_b text, annotator_b text, documents bigint,
               accuracy double precision,
               kappa double precision, kappa_linear double precision, kappa_quadratic double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    asked text[] := annotation_groups(annotator_agreement.aspect, annotator_agreement.groups);
BEGIN
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT a.doc, a.grade::integer AS grade, w.annotator, array_position(asked, w.annotator_group) AS place
          FROM annotations a JOIN annotators w ON w.annotator = a.annotator
         WHERE a.aspect = annotator_agreement.aspect AND w.annotator_group = ANY (asked)),
    cells AS (
        SELECT a.place AS place_a, a.annotator AS a, b.place AS place_b, b.annotator AS b, a.grade AS x, b.grade AS y,
               count(*) AS n
          FROM given a JOIN given b ON b.doc = a.doc AND (a.place, a.annotator) < (b.place, b.annotator)
         GROUP BY a.place, a.annotator, b.place, b.annotator, a.grade, b.grade),
    tables AS MATERIALIZED (
        SELECT c.place_a, c.a, c.place_b, c.b, array_agg(c.x) AS x, array_agg(c.y) AS y, array_agg(c.n) AS n,
               sum(c.n)::bigint AS documents, coalesce(sum(c.n) FILTER (WHERE c.x = c.y), 0) AS same
          FROM cells c GROUP BY c.place_a, c.a, c.place_b, c.b)
    SELECT asked[t.place_a], t.a::text, asked[t.place_b], t.b::text, t.documents,
           t.same::double precision / t.documents,
           cohen_kappa(t.x, t.y, 'none', t.n), cohen_kappa(t.x, t.y, 'linear', t.n),
           cohen_kappa(t.x, t.y, 'quadratic', t.n)
      FROM tables t ORDER BY t.place_a, t.place_b, t.a COLLATE "C", t.b COLLATE "C";
END
$$;
COMMENT ON FUNCTION annotator_agreement(text, text[]) IS
'Agreement of each two annotators on the documents that both graded: accuracy and Cohen''s kappa';
