-- submit_pool: store the grades on the sheets of a pool as human judgments of an edition, with annotator and note, all
-- or none. The edition is created if it does not exist.
--
-- annotators: whose sheets; an empty array means all. Judgments that the edition already has are unchanged, so
-- submitting again adds nothing. A different grade by the same annotator is a conflict, and then nothing is submitted.
-- Final grades (adjudicate) become final judgments, which take precedence over all others.
-- left_open: documents that these annotators have not judged yet. If the grades of the pool are simulated, the edition
-- is marked as simulated. The strata of the pool become those of the edition (qrels_strata).
-- Raises IR110 no such pool, IR202 an annotator without a sheet, IR302 conflicts, naming the first, IR405 no grade to
-- submit.
CREATE OR REPLACE FUNCTION submit_pool(pool text, edition text, annotators text[] DEFAULT '{}')
RETURNS TABLE (judgments bigint, added bigint, unchanged bigint, left_open bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(submit_pool.pool);
    people text[];
    edition_id integer;
    bad record;
BEGIN
    IF coalesce(btrim(submit_pool.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the edition is empty',
            HINT = 'Name the edition: --edition 2025.';
    END IF;
    PERFORM check_name('edition', submit_pool.edition);
    people := ARRAY(SELECT DISTINCT a.annotator FROM qrels_assessments a WHERE a.pool = pool_id);
    SELECT u.name INTO bad FROM unnest(submit_pool.annotators) AS u (name)
     WHERE u.name COLLATE "C" <> ALL (people) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L has judged nothing in the pool %L', bad.name, submit_pool.pool),
            HINT = coalesce('Annotators with judgments: ' || nullif(array_to_string(people, ', '), '') || '.',
                            'No annotator has judged anything yet.');
    ELSIF cardinality(submit_pool.annotators) > 0 THEN
        people := submit_pool.annotators;
    END IF;
    -- Lock until the transaction ends, so that no grade changes between reading it and marking it as submitted.
    PERFORM FROM qrels_assessments a WHERE a.pool = pool_id AND a.annotator = ANY (people)
        ORDER BY a.query, a.doc, a.annotator FOR UPDATE;
    SELECT count(*) INTO judgments FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.annotator = ANY (people) AND a.rel IS NOT NULL;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('pool %L has no grade to submit', submit_pool.pool),
            HINT = 'Judge documents with ''stc judge'', or import sheets with ''stc load --as pool''.';
    END IF;
    INSERT INTO qrels_editions (edition) VALUES (submit_pool.edition) ON CONFLICT DO NOTHING;
    SELECT e.id INTO edition_id FROM qrels_editions e WHERE e.edition = submit_pool.edition COLLATE "C";
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, judged, note, hidden, final)
    SELECT edition_id, a.query, a.doc, a.rel, 'human', a.annotator, a.changed, a.note,
           (SELECT e.hidden FROM qrels_editions e WHERE e.id = edition_id), a.final
      FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.annotator = ANY (people) AND a.rel IS NOT NULL
     ORDER BY a.changed, a.query, a.doc, a.annotator
    ON CONFLICT (edition, query, doc, origin, annotator, hidden) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    -- a pool of an earlier version has no documents that were not drawn: without them the sizes of strata are unknown
    PERFORM store_strata(edition_id, array_agg(s.query), array_agg(s.doc), array_agg(s.stratum), array_agg(s.drawn),
                         format('pool %L', submit_pool.pool))
       FROM (SELECT u.*, sum(u.weight) OVER (PARTITION BY u.query) - count(*) OVER (PARTITION BY u.query) AS missing
               FROM (SELECT d.query, d.doc, d.stratum, true AS drawn, d.weight FROM qrels_pool_documents d
                      WHERE d.pool = pool_id AND d.stratum IS NOT NULL
                      UNION ALL
                     SELECT n.query, n.doc, n.stratum, false, 0 FROM qrels_pool_undrawn n WHERE n.pool = pool_id) u) s
      WHERE s.missing < 0.5 HAVING count(*) > 0;
    UPDATE qrels_editions e SET simulated = true
     WHERE e.id = edition_id AND NOT e.simulated AND (SELECT p.simulated FROM qrels_pools p WHERE p.id = pool_id);
    unchanged := judgments - added;
    SELECT count(*) OVER () AS conflicts, q.query, d.docno, a.annotator,
           concat(CASE WHEN a.final THEN 'final ' END, a.rel) AS rel, j.rel AS stored INTO bad
      FROM qrels_assessments a
      JOIN qrels_judgments j ON j.edition = edition_id AND j.query = a.query AND j.doc = a.doc AND j.origin = 'human'
                            AND j.annotator = a.annotator
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
     WHERE a.pool = pool_id AND a.annotator = ANY (people)
       AND (a.rel <> j.rel OR a.final AND a.submitted IS NULL AND NOT j.final)
     ORDER BY q.query, d.docno LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s from those in %L: query %s, document %s is %s by %s here '
                             'and %s there',
                             counted(bad.conflicts, 'judgment differs', 'judgments differ'), submit_pool.edition,
                             bad.query, bad.docno, bad.rel, bad.annotator, bad.stored),
            HINT = 'Judgments are append-only; nothing was submitted. Use another --edition, or correct the sheet. '
                   'pool_conflicts(pool, edition) lists all conflicts.';
    END IF;
    UPDATE qrels_assessments a SET submitted = clock_timestamp()
     WHERE a.pool = pool_id AND a.annotator = ANY (people) AND a.rel IS NOT NULL AND a.submitted IS NULL;
    people := ARRAY(SELECT p.name FROM unnest(people) AS p (name)  -- adjudicators have no sheet
                     WHERE NOT EXISTS (SELECT FROM qrels_assessments a
                                        WHERE a.pool = pool_id AND a.annotator = p.name AND a.final));
    SELECT count(*) INTO left_open
      FROM unnest(people) AS p (name) CROSS JOIN LATERAL pool_sheet(submit_pool.pool, p.name) s WHERE s.rel IS NULL;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION submit_pool(text, text, text[]) IS
    'Stores the grades on the sheets of a pool as judgments of an edition, all or none; returns the numbers added, '
    'unchanged and open';
