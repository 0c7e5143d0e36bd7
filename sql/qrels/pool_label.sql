-- pool_label: grade of a language model for a document of a pool, if the pool shows such labels (label_pool); else no
-- row. beside: it is shown next to the document, not only after the assessor's own decision.
--
-- A hidden edition shows its labels only if the organiser set that for the pool, also if it was hidden afterwards.
-- Arguments are keys.
CREATE OR REPLACE FUNCTION pool_label(pool integer, query integer, doc bigint)
RETURNS TABLE (rel smallint, judge text, beside boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT j.rel, j.annotator, (l.labels ->> 'beside')::boolean
      FROM (SELECT p.params -> 'labels' AS labels FROM qrels_pools p WHERE p.id = pool_label.pool) l
      JOIN qrels_editions e ON e.edition = l.labels ->> 'edition' COLLATE "C"
      JOIN qrels_judgments j
        ON j.edition = e.id AND j.query = pool_label.query AND j.doc = pool_label.doc AND j.origin = 'llm'
            AND j.annotator = l.labels ->> 'judge' COLLATE "C"
     WHERE NOT e.hidden OR (l.labels ->> 'hidden')::boolean
$$;
COMMENT ON FUNCTION pool_label(integer, integer, bigint) IS
    'Grade of a language model for a document of a pool, if the pool shows such labels to assessors';
