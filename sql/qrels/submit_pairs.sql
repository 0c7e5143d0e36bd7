-- submit_pairs: store the orders that follow from comparisons as preferences of an edition, all or none. The edition is
-- created if it does not exist. Returns the numbers of queries, summed over annotators, of stored levels, and of
-- queries whose order is not complete yet.
--
-- annotators: whose comparisons; an empty array means all. Only complete orders of at least two documents are
-- submitted. The judgment group is the annotator, the subgroup is the pool. Equal documents have the same level, so
-- that neither is preferred; documents that were set aside have none. Their comparisons cannot be undone any more.
-- Submitting again adds the orders that are new. If the grades of the pool are simulated, the edition is marked as
-- simulated. The preferences are stored by import_preferences.
-- Raises IR110 no such pool, IR202 an annotator without a comparison, IR405 no complete order, IR407 a sealed edition,
-- IR302 the edition has another order of an annotator for the pool.
CREATE OR REPLACE FUNCTION submit_pairs(pool text, edition text, annotators text[] DEFAULT '{}')
RETURNS TABLE (queries bigint, levels bigint, added bigint, unchanged bigint, incomplete bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(submit_pairs.pool);
    everybody text[] := ARRAY(SELECT DISTINCT c.annotator FROM qrels_comparisons c WHERE c.pool = pool_id);
    people text[] := CASE WHEN cardinality(submit_pairs.annotators) > 0 THEN submit_pairs.annotators
                          ELSE everybody END;
    bad text := (SELECT u.name FROM unnest(people) AS u (name) WHERE u.name COLLATE "C" <> ALL (everybody) LIMIT 1);
    one text;
BEGIN
    IF coalesce(btrim(submit_pairs.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the edition is empty',
            HINT = 'Name the edition: --edition 2025.';
    ELSIF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L has compared nothing in the pool %L', bad, submit_pairs.pool),
            HINT = coalesce('Annotators with comparisons: ' || nullif(array_to_string(everybody, ', '), '') || '.',
                            'No annotator has compared anything yet.');
    END IF;
    -- No comparison is added or undone between reading the orders and marking them as submitted.
    FOR one IN SELECT u.name FROM unnest(people) AS u (name) ORDER BY u.name COLLATE "C" LOOP
        PERFORM pg_advisory_xact_lock(assessment_lock(submit_pairs.pool, one, 'compare'));
    END LOOP;
    PERFORM stage_preferences();
    INSERT INTO pg_temp.incoming (line, query, annotator, subgroup, docno, rel_score)
    SELECT row_number() OVER (ORDER BY p.name COLLATE "C", s.number, o.level DESC, d.docno), q.query, p.name,
           submit_pairs.pool, d.docno, o.level
      FROM unnest(people) AS p (name)
     CROSS JOIN LATERAL pair_states(submit_pairs.pool, p.name) s
     CROSS JOIN LATERAL unnest(s.placed, s.levels) AS o (doc, level)
      JOIN st1_queries q ON q.id = s.query
      JOIN dblp d ON d.id = o.doc
     WHERE s.doc IS NULL AND cardinality(s.placed) > 1;
    IF NOT FOUND THEN
        DROP TABLE pg_temp.incoming;
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('pool %L has no complete order to submit', submit_pairs.pool),
            HINT = 'Compare all documents of a query first. ''stc show pairs'' shows the comparisons left.';
    END IF;
    SELECT i.groups, i.levels, i.added, i.unchanged INTO queries, levels, added, unchanged
      FROM import_preferences(submit_pairs.edition, concat('pool:', submit_pairs.pool)) i;
    UPDATE qrels_editions e SET simulated = true
     WHERE e.edition = submit_pairs.edition COLLATE "C" AND NOT e.simulated
       AND (SELECT p.simulated FROM qrels_pools p WHERE p.id = pool_id);
    SELECT count(*) FILTER (WHERE s.doc IS NOT NULL) INTO incomplete
      FROM unnest(people) AS p (name) CROSS JOIN LATERAL pair_states(submit_pairs.pool, p.name) s;
    UPDATE qrels_comparisons c SET submitted = clock_timestamp()
      FROM unnest(people) AS p (name)
     CROSS JOIN LATERAL pair_states(submit_pairs.pool, p.name) s
     WHERE c.pool = pool_id AND c.annotator = p.name COLLATE "C" AND c.query = s.query AND c.submitted IS NULL
       AND s.doc IS NULL AND cardinality(s.placed) > 1;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION submit_pairs(text, text, text[]) IS
    'Stores the complete orders of a pool''s comparisons as preferences of an edition, all or none; returns the '
    'numbers of queries, levels, and orders that are not complete';
