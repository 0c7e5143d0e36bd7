-- preference_pairs: preferences between the documents of one query, one row per judgment group and ordered pair; better
-- is preferred to worse.
--
-- Within a subgroup, a document is preferred to every document with a lower level; documents of the same level are not
-- compared. A group with several subgroups gives a partial order, and its transitive closure is returned
-- (import_preferences refuses cycles). All values are keys; the caller has checked the arguments.
CREATE OR REPLACE FUNCTION preference_pairs(edition integer, query integer, judgments text)
RETURNS TABLE (annotator text, better bigint, worse bigint)
LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path = stc_all, stc, public, pg_temp SET enable_nestloop = off SET jit = off AS $$
    WITH RECURSIVE levels AS MATERIALIZED (
        SELECT l.annotator, l.subgroup, l.doc, l.rel,
               min(l.subgroup) OVER grp <> max(l.subgroup) OVER grp AS partial,
               dense_rank() OVER (PARTITION BY l.annotator, l.subgroup ORDER BY l.rel) AS step
          FROM preference_levels(preference_pairs.edition, preference_pairs.query, preference_pairs.judgments) l
        WINDOW grp AS (PARTITION BY l.annotator)),
    stated AS (  -- pairs of adjacent levels; transitivity gives the other pairs of the subgroup
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
    'Preferences between documents of one query, one row per annotator and pair: better is preferred to worse';
