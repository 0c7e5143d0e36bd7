-- relevance_string: grades of the first documents of one ranking as text (trec_eval's relstring); see
-- relevance_strings.
--
-- relevant, grades, irrelevant, pooled and retrieved as returned by judged_lists.
CREATE OR REPLACE FUNCTION relevance_string(
    relevant integer[], grades smallint[], irrelevant integer[], pooled integer[], retrieved integer, length integer,
    judged_only boolean, max_rank integer)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coalesce(string_agg(CASE WHEN j.rel > 9 THEN '>' WHEN j.rel >= 0 THEN j.rel::text
                                    WHEN j.rel < 0 THEN '.' ELSE '-' END, ''
                               ORDER BY coalesce(r.rank, j.shown)), '')
      FROM (SELECT rank, CASE WHEN relevance_string.judged_only THEN row_number() OVER (ORDER BY rank)
                              ELSE rank END AS shown, rel
              FROM (SELECT * FROM unnest(relevance_string.relevant, relevance_string.grades)
                    UNION ALL SELECT unnest(relevance_string.irrelevant), 0
                    UNION ALL SELECT unnest(relevance_string.pooled), -1
                               WHERE NOT relevance_string.judged_only) j (rank, rel)
             WHERE rank <= coalesce(relevance_string.max_rank, rank)) j
      FULL JOIN generate_series(1, CASE WHEN relevance_string.judged_only THEN 0
                                        ELSE least(relevance_string.length, relevance_string.retrieved,
                                                   relevance_string.max_rank) END) AS r (rank)
        ON r.rank = j.shown
     WHERE coalesce(r.rank, j.shown) <= relevance_string.length
$$;
COMMENT ON FUNCTION relevance_string(
    integer[], smallint[], integer[], integer[], integer, integer, boolean, integer) IS
    'Grades of the first documents of one ranking as text: trec_eval''s relstring';
