-- answer_components: connected components of the answers of each query, with an edge where support >= threshold; one
-- row per answer, unordered. component is the lowest id of its answers.
--
-- All queries are processed in one recursive statement. The label of each answer starts as its own place, and becomes
-- the lowest label of its neighbours (itself included), then the label of the answer it points to (pointer jumping:
-- Shiloach & Vishkin, J. Algorithms 3, 1982), until no label decreases. A row of the recursion contains all labels of a
-- query, so that a step costs one operation per edge; the transitive closure would cost answers times edges.
CREATE OR REPLACE FUNCTION answer_components(set_id integer, model_id integer, source text, threshold double precision)
RETURNS TABLE (query integer, answer bigint, component bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE nodes AS MATERIALIZED (
        SELECT v.query, v.answer, (row_number() OVER (PARTITION BY v.query ORDER BY v.answer))::integer AS place
          FROM answer_voters(answer_components.set_id, answer_components.source) v),
    near AS MATERIALIZED (
        SELECT n.place AS a, m.place AS b, n.query
          FROM answer_edges(answer_components.set_id, answer_components.model_id, answer_components.source) e
          JOIN nodes n ON n.answer = e.a JOIN nodes m ON m.answer = e.b
         WHERE e.same OR e.support >= answer_components.threshold),
    links AS MATERIALIZED (
        SELECT d.query, array_agg(d.a) AS a, array_agg(d.b) AS b
          FROM (SELECT query, a, b FROM near UNION ALL SELECT query, b, a FROM near
                 UNION ALL SELECT query, place, place FROM nodes) d
         GROUP BY d.query),
    labels (query, step, answers, a, b, label) AS (
        SELECT n.query, 0, n.answers, l.a, l.b, n.places
          FROM (SELECT query, array_agg(answer ORDER BY place) AS answers, array_agg(place ORDER BY place) AS places
                  FROM nodes GROUP BY query) n
          JOIN links l ON l.query = n.query
        UNION ALL
        SELECT s.query, s.step + 1, s.answers, s.a, s.b, jumped.label
          FROM labels s
         CROSS JOIN LATERAL (
            SELECT array_agg(f.least ORDER BY f.a) AS label
              FROM (SELECT u.a, min(s.label[u.b]) AS least FROM unnest(s.a, s.b) u(a, b) GROUP BY u.a) f) fallen
         CROSS JOIN LATERAL (
            SELECT array_agg(fallen.label[t.points] ORDER BY t.place) AS label
              FROM unnest(fallen.label) WITH ORDINALITY t(points, place)) jumped
         WHERE jumped.label <> s.label),
    settled AS (SELECT DISTINCT ON (query) query, answers, label FROM labels ORDER BY query, step DESC)
    SELECT s.query, u.answer, s.answers[u.least]
      FROM settled s CROSS JOIN LATERAL unnest(s.answers, s.label) u(answer, least);
END
$$;
COMMENT ON FUNCTION answer_components(integer, integer, text, double precision) IS
    'Connected components of the answers of each query, with an edge where support is at least the threshold';
