-- preference_pairs: who prefers what: one row per judgment group and pair of documents of one query, of which better is
-- preferred.
--
-- Within a subgroup a document is preferred to each one of a lower level; documents of one level are not compared. A
-- group with several subgroups states a partial order, which is completed: what is preferred to the better one of a
-- pair is preferred to the worse one too (better = worse would be a circle, which import_preferences refuses). All by
-- keys; arguments are taken as checked.
CREATE OR REPLACE FUNCTION preference_pairs(edition integer, query integer, judgments text)
RETURNS TABLE (annotator text, better bigint, worse bigint)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp SET enable_nestloop = off SET jit = off AS $$
    WITH RECURSIVE levels AS MATERIALIZED (
        SELECT l.annotator, l.subgroup, l.doc, l.rel,
               min(l.subgroup) OVER grp <> max(l.subgroup) OVER grp AS partial,
               dense_rank() OVER (PARTITION BY l.annotator, l.subgroup ORDER BY l.rel) AS step
          FROM preference_levels(preference_pairs.edition, preference_pairs.query, preference_pairs.judgments) l
        WINDOW grp AS (PARTITION BY l.annotator)),
    stated AS (  -- from one level to the next below; the rest of the subgroup follows
        SELECT DISTINCT b.annotator, b.doc AS better, w.doc AS worse
          FROM levels b JOIN levels w ON w.annotator = b.annotator AND w.subgroup = b.subgroup AND w.step = b.step - 1
         WHERE b.partial),
    implied AS (
        SELECT s.annotator, s.better, s.worse FROM stated s
         UNION
        SELECT i.annotator, i.better, s.worse FROM implied i
          JOIN stated s ON s.annotator = i.annotator AND s.better = i.worse)
    SELECT b.annotator, b.doc, w.doc
      FROM levels b JOIN levels w ON w.annotator = b.annotator AND w.rel < b.rel
     WHERE NOT b.partial
     UNION ALL
    SELECT i.annotator, i.better, i.worse FROM implied i
$$;
COMMENT ON FUNCTION preference_pairs(integer, integer, text) IS
    'The preferences between documents of one query: per judgment group, which document is preferred to which';
