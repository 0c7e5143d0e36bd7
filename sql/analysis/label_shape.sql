-- label_shape: size of an edition and whether its labels are sparse: queries, judgments, relevant judgments, mean and
-- median number of judgments per query.
--
-- level is the minimum relevant grade. An edition is sparse if it has no judgment below the level and its median query
-- has one judgment. Examples are the labels of MS MARCO, and the source documents of synthetic queries. In a sparse
-- edition, unlisted documents were not assessed; they are not known to be irrelevant. A negative grade means "pooled,
-- not judged", as in agreement_labels.
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set, IR202 level is NULL.
CREATE OR REPLACE FUNCTION label_shape(edition text, level integer DEFAULT 1, query_set text DEFAULT 'all')
RETURNS TABLE (queries bigint, judgments bigint, relevant bigint, a_query double precision, median double precision,
               sparse boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    members CONSTANT integer[] := query_set_ids(label_shape.query_set);
BEGIN
    PERFORM edition_key(label_shape.edition);
    IF label_shape.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the minimum relevant grade is missing',
            HINT = 'level is the lowest grade that counts as relevant, usually 1.';
    END IF;
    RETURN QUERY
    WITH counted AS (
        SELECT count(*) AS judged, count(*) FILTER (WHERE l.rel >= label_shape.level) AS relevant
          FROM agreement_labels(ARRAY[label_shape.edition]) l
         WHERE label_shape.query_set = 'all' OR l.query = ANY (members) GROUP BY l.query)
    SELECT count(*), coalesce(sum(c.judged), 0)::bigint, coalesce(sum(c.relevant), 0)::bigint,
           avg(c.judged)::double precision, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.judged),
           count(*) > 0 AND sum(c.judged) = sum(c.relevant) AND percentile_disc(0.5) WITHIN
               GROUP (ORDER BY c.judged) = 1
      FROM counted c;
END
$$;
COMMENT ON FUNCTION label_shape(text, integer, text) IS
    'Numbers of queries and judgments of an edition, and whether its labels are sparse: only relevant ones, with a '
    'median of one per query';
