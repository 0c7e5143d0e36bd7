-- incoming_lists: judged_lists for rankings in the temporary table incoming_rankings (stage_rankings). One row per run
-- and query.
--
-- The lists are empty if the run has no ranking for the query. edition, rules and counted are ignored; they give the
-- function the same signature as judged_lists. Ranks are those of the table.
CREATE OR REPLACE FUNCTION incoming_lists(edition integer, queries integer[], runs integer[], rules text,
                                          counted boolean)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT r.run, q.query, coalesce(i.retrieved, 0),
           coalesce(i.relevant, '{}'), coalesce(i.grades, '{}'), coalesce(i.irrelevant, '{}'), coalesce(i.pooled, '{}')
      FROM unnest(incoming_lists.runs) AS r (run)
     CROSS JOIN unnest(incoming_lists.queries) AS q (query)
      LEFT JOIN pg_temp.incoming_rankings i ON i.run = r.run AND i.query = q.query
$$;
COMMENT ON FUNCTION incoming_lists(integer, integer[], integer[], text, boolean) IS
    'Ranks and grades of the judged documents of rankings in the temporary table incoming_rankings, one row per '
    'run and query';
