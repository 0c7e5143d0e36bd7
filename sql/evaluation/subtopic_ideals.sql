-- subtopic_ideals: gain at each rank of ideal rankings of a query for measures of new subtopics, one row per pair of
-- kept and levels, numbered n. All values are keys.
--
--   kept    share of its gain that a subtopic keeps after each document: 1 - alpha
--   levels  minimum relevant grade
--   depth   number of ranks; NULL for all ranks with a gain
--   day     only documents of the snapshot of this date (subtopic_judgments); NULL for all
--   gains   by rank: sum over the document's subtopics of kept ^ (number of documents of the subtopic above)
--
-- The best order is NP-complete to find (Carterette, An Analysis of NP-Completeness in Novelty and Diversity Ranking,
-- ICTIR 2009). As in ndeval, each rank takes the document with the highest gain, and of several the one with the
-- largest docno. Gains are multiplied and added in ndeval's order, so that the same ones are equal. The documents of a
-- group (subtopic_groups) have equal gains, so only the first one left of each group is a candidate.
CREATE OR REPLACE FUNCTION subtopic_ideals(
    edition integer, query integer, kept double precision[], levels integer[], depth integer,
    day date DEFAULT NULL)
RETURNS TABLE (n integer, gains double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    docnos text[] COLLATE "C";  -- of all groups: group after group, each from the largest on
    starts integer[];           -- by group: place in docnos of its first document
    ends integer[];
    heads integer[];            -- by group: place of its first document that is not ranked yet
    subtopics smallint[];       -- of all groups: group after group
    firsts integer[];           -- by group: place in subtopics of its first subtopic
    lasts integer[];
    shares double precision[];  -- by subtopic: gain of its next document
    gain double precision;
    best integer;
    best_gain double precision;
    pair record;
BEGIN
    FOR pair IN SELECT p.share, p.level, array_agg(p.i::integer) AS places
                  FROM unnest(subtopic_ideals.kept, subtopic_ideals.levels) WITH ORDINALITY AS p (share, level, i)
                 GROUP BY p.share, p.level
    LOOP
        WITH groups AS MATERIALIZED (
            SELECT g.number, ARRAY(SELECT u.subtopic
                                     FROM unnest(g.subtopics, g.grades) WITH ORDINALITY AS u (subtopic, grade, i)
                                    WHERE u.grade >= pair.level ORDER BY u.i) AS subtopics, g.docs
              FROM subtopic_groups(subtopic_ideals.edition, subtopic_ideals.query, false, subtopic_ideals.day) g),
        counted AS (
            SELECT g.number, g.subtopics, g.docs, sum(cardinality(g.docs)) OVER upto AS docs_upto,
                   sum(cardinality(g.subtopics)) OVER upto AS subtopics_upto
              FROM groups g WINDOW upto AS (ORDER BY g.number))
        SELECT array_agg(c.docs_upto - cardinality(c.docs) + 1 ORDER BY c.number),
               array_agg(c.docs_upto ORDER BY c.number),
               array_agg(c.subtopics_upto - cardinality(c.subtopics) + 1 ORDER BY c.number),
               array_agg(c.subtopics_upto ORDER BY c.number),
               (SELECT array_agg(u.subtopic ORDER BY g.number, u.i)
                  FROM groups g CROSS JOIN LATERAL unnest(g.subtopics) WITH ORDINALITY AS u (subtopic, i)),
               (SELECT array_agg(d.docno ORDER BY g.number, d.docno DESC)
                  FROM groups g CROSS JOIN LATERAL unnest(g.docs) AS m (doc) JOIN dblp d ON d.id = m.doc)
          INTO starts, ends, firsts, lasts, subtopics, docnos
          FROM counted c;
        heads := starts;
        shares := array_fill(1::double precision, ARRAY[coalesce((SELECT max(t) FROM unnest(subtopics) AS t), 0)]);
        gains := '{}';
        WHILE depth IS NULL OR cardinality(gains) < depth LOOP
            best_gain := 0;
            FOR g IN 1..coalesce(cardinality(heads), 0) LOOP
                CONTINUE WHEN heads[g] > ends[g];
                gain := 0;
                FOR i IN firsts[g]..lasts[g] LOOP
                    gain := gain + shares[subtopics[i]];
                END LOOP;
                IF gain > best_gain OR (gain = best_gain AND gain > 0 AND docnos[heads[g]] > docnos[heads[best]]) THEN
                    best := g;
                    best_gain := gain;
                END IF;
            END LOOP;
            EXIT WHEN best_gain = 0;
            gains := gains || best_gain;
            heads[best] := heads[best] + 1;
            FOR i IN firsts[best]..lasts[best] LOOP
                shares[subtopics[i]] := CASE WHEN shares[subtopics[i]] > 1e-130
                                             THEN shares[subtopics[i]] * pair.share ELSE 0 END;
            END LOOP;
        END LOOP;
        FOREACH n IN ARRAY pair.places LOOP
            RETURN NEXT;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION subtopic_ideals(integer, integer, double precision[], integer[], integer, date) IS
    'Gain at each rank of ideal rankings of a query for measures of new subtopics';
