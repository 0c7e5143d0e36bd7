-- request_lists: judged_lists for score requests: ranks and grades of the judged documents in the copy of a run that
-- belongs to a request (ask_rankings). One row per request and query.
--
-- runs are ids of requests. The lists are empty for a query without a copy.
--
-- Reads all judgments of the queries and the whole copy: the rows read depend on neither grade nor document. rules and
-- counted are ignored; they give the function the same signature as judged_lists. Ranks are those of the copy: 1, 2, 3,
-- …
CREATE OR REPLACE FUNCTION request_lists(edition integer, queries integer[], runs integer[], rules text,
                                         counted boolean)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT r.run, q.query, coalesce(cardinality(a.docs), 0),
           coalesce(l.relevant, '{}'), coalesce(l.grades, '{}'), coalesce(l.irrelevant, '{}'), coalesce(l.pooled, '{}')
      FROM unnest(request_lists.runs) AS r (run)
     CROSS JOIN unnest(request_lists.queries) AS q (query)
      LEFT JOIN ask_rankings a ON a.request = r.run AND a.query = q.query
     CROSS JOIN LATERAL (
           SELECT array_agg(j.doc) AS docs, array_agg(j.rel) AS rels
             FROM qrels j WHERE j.edition = request_lists.edition AND j.query = q.query) judged
     CROSS JOIN LATERAL (
           SELECT array_agg(k.rank::integer ORDER BY k.rank) FILTER (WHERE j.rel > 0) AS relevant,
                  array_agg(j.rel ORDER BY k.rank) FILTER (WHERE j.rel > 0) AS grades,
                  array_agg(k.rank::integer ORDER BY k.rank) FILTER (WHERE j.rel = 0) AS irrelevant,
                  array_agg(k.rank::integer ORDER BY k.rank) FILTER (WHERE j.rel < 0) AS pooled
             FROM unnest(a.docs) WITH ORDINALITY AS k (doc, rank)
             JOIN unnest(judged.docs, judged.rels) AS j (doc, rel) ON j.doc = k.doc) l
$$;
COMMENT ON FUNCTION request_lists(integer, integer[], integer[], text, boolean) IS
    'Ranks and grades of the judged documents in the copies of runs for score requests, one row per request and query';
