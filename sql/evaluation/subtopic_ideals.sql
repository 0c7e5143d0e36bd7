-- subtopic_ideals: gain at each rank of ideal rankings of a query for measures of new subtopics, one row per pair of
-- kept and levels, numbered n. All values are keys.
--
--   kept    share of its gain that a subtopic keeps after each document: 1 - alpha
--   levels  minimum relevant grade
--   depth   number of ranks; NULL for all ranks with a gain
--   gains   by rank: sum over the document's subtopics of kept ^ (number of documents of the subtopic above)
--
-- The best order is NP-complete to find (Carterette, An Analysis of NP-Completeness in Novelty and Diversity Ranking,
-- ICTIR 2009). As in ndeval, each rank takes the document with the highest gain, and of several the one with the
-- largest docno. Gains are multiplied and added in ndeval's order, so that the same ones are equal. The documents of a
-- group (subtopic_groups) have equal gains, so only the first one left of each group is a candidate.
CREATE OR REPLACE FUNCTION subtopic_ideals(
    edition integer, query integer, kept double precision[], levels integer[], depth integer)
RETURNS TABLE (n integer, gains double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    docnos text[];              -- of all groups: group after group, each from the largest on
    members smallint[];         -- a subtopic of a group per element, with the parallel arrays below
    subtopics smallint[];
    grades smallint[];
    starts integer[];           -- by group: place in docnos of its first document
    ends integer[];
    heads integer[];            -- by group: place of its first document that is not ranked yet
    shares double precision[];  -- by subtopic: gain of its next document
    best record;
    pair record;
BEGIN
    WITH groups AS MATERIALIZED (
        SELECT g.number, g.subtopics, g.grades, g.docs
          FROM subtopic_groups(subtopic_ideals.edition, subtopic_ideals.query) g WHERE g.number > 0),
    named AS (
        SELECT g.number, d.docno, row_number() OVER (ORDER BY g.number, d.docno DESC)::integer AS place
          FROM groups g CROSS JOIN LATERAL unnest(g.docs) AS m (doc) JOIN dblp d ON d.id = m.doc)
    SELECT (SELECT array_agg(c.docno ORDER BY c.place) FROM named c),
           (SELECT array_agg(r.first ORDER BY r.number)
              FROM (SELECT c.number, min(c.place) AS first FROM named c GROUP BY c.number) r),
           (SELECT array_agg(r.last ORDER BY r.number)
              FROM (SELECT c.number, max(c.place) AS last FROM named c GROUP BY c.number) r),
           m.members, m.subtopics, m.grades
      INTO docnos, starts, ends, members, subtopics, grades
      FROM (SELECT array_agg(g.number ORDER BY g.number, u.i) AS members,
                   array_agg(u.subtopic ORDER BY g.number, u.i) AS subtopics,
                   array_agg(u.grade ORDER BY g.number, u.i) AS grades
              FROM groups g
             CROSS JOIN LATERAL unnest(g.subtopics, g.grades) WITH ORDINALITY AS u (subtopic, grade, i)) m;
    FOR pair IN SELECT p.share, p.level, p.i::integer AS i
                  FROM unnest(subtopic_ideals.kept, subtopic_ideals.levels) WITH ORDINALITY AS p (share, level, i)
    LOOP
        n := pair.i;
        gains := '{}';
        heads := starts;
        shares := array_fill(1::double precision, ARRAY[coalesce((SELECT max(t) FROM unnest(subtopics) AS t), 0)]);
        WHILE depth IS NULL OR cardinality(gains) < depth LOOP
            SELECT c.member, c.gain INTO best
              FROM (SELECT m.member, sum(shares[m.subtopic]) AS gain
                      FROM unnest(members, subtopics, grades) AS m (member, subtopic, grade)
                     WHERE m.grade >= pair.level AND heads[m.member] <= ends[m.member]
                     GROUP BY m.member) c
             ORDER BY c.gain DESC, docnos[heads[c.member]] COLLATE "C" DESC LIMIT 1;
            EXIT WHEN NOT FOUND OR best.gain = 0;
            gains := gains || best.gain;
            heads[best.member] := heads[best.member] + 1;
            FOR i IN 1..cardinality(members) LOOP
                IF members[i] = best.member AND grades[i] >= pair.level THEN
                    shares[subtopics[i]] := CASE WHEN shares[subtopics[i]] > 1e-130
                                                 THEN shares[subtopics[i]] * pair.share ELSE 0 END;
                END IF;
            END LOOP;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION subtopic_ideals(integer, integer, double precision[], integer[], integer) IS
    'Gain at each rank of ideal rankings of a query for measures of new subtopics';
