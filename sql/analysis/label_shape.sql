-- label_shape: how much an edition judges, and whether it is sparse: queries, judgments, those of the level or better,
-- the mean and the median of judgments a query.
--
-- sparse: nothing is judged below the level, and the median query has one judgment, as the labels of MS MARCO have, or
-- the documents that synthetic queries were made from. What such an edition does not name is not told to be irrelevant:
-- nobody looked. A negative grade is "pooled, not judged", as in agreement_labels. Raises IR102 no such edition, IR202
-- no level.
CREATE OR REPLACE FUNCTION label_shape(edition text, level integer DEFAULT 1)
RETURNS TABLE (queries bigint, judgments bigint, relevant bigint, a_query double precision, median double precision,
               sparse boolean)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM edition_key(label_shape.edition);
    IF label_shape.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no grade to count as relevant from',
            HINT = 'level is a grade; 1 is usual.';
    END IF;
    RETURN QUERY
    WITH counted AS (
        SELECT count(*) AS judged, count(*) FILTER (WHERE l.rel >= label_shape.level) AS relevant
          FROM agreement_labels(ARRAY[label_shape.edition]) l GROUP BY l.query)
    SELECT count(*), coalesce(sum(c.judged), 0)::bigint, coalesce(sum(c.relevant), 0)::bigint,
           avg(c.judged)::double precision, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.judged),
           count(*) > 0 AND sum(c.judged) = sum(c.relevant) AND percentile_disc(0.5) WITHIN
               GROUP (ORDER BY c.judged) = 1
      FROM counted c;
END
$$;
COMMENT ON FUNCTION label_shape(text, integer) IS
'How much an edition judges, and whether its labels are sparse: one relevant a query';
