-- score_lists: FROM item l of a statement of score_statement: ranks of judged documents in runs, cut at max_rank and
-- without unjudged documents if requested.
--
-- l.whole is the number of documents the run ranks, before any are removed.
--
-- lists: judged_lists or request_lists, called with $1 edition, $2 queries, $6 runs and $9 rules; $8 is max_rank.
-- counted: SQL expression that is true if the number of documents retrieved is needed.
CREATE OR REPLACE FUNCTION score_lists(lists text, counted text, judged_only boolean, cut boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT format('%I($1, $2, $6, $9, %s) AS %s', lists, counted,
                  CASE WHEN cut THEN 'whole' WHEN judged_only THEN 'every' ELSE 'l' END)
        || CASE WHEN cut THEN format($q$
 CROSS JOIN LATERAL (
       SELECT whole.run, whole.query, whole.retrieved AS whole, least(whole.retrieved, $8) AS retrieved,
              whole.relevant[:width_bucket($8, whole.relevant)] AS relevant,
              whole.grades[:width_bucket($8, whole.relevant)] AS grades,
              whole.irrelevant[:width_bucket($8, whole.irrelevant)] AS irrelevant,
              whole.pooled[:width_bucket($8, whole.pooled)] AS pooled OFFSET 0) %s$q$,
              CASE WHEN judged_only THEN 'every' ELSE 'l' END) ELSE '' END
        -- the new rank of a judged document is the number of judged documents up to it
        || CASE WHEN judged_only THEN format($q$
 CROSS JOIN LATERAL (
       SELECT every.run, every.query, every.%s AS whole,
              cardinality(every.relevant) + cardinality(every.irrelevant) AS retrieved,
              ARRAY(SELECT i::integer + width_bucket(rank, every.irrelevant) FROM unnest(every.relevant)
                    WITH ORDINALITY AS r (rank, i))
                  AS relevant, every.grades,
              ARRAY(SELECT i::integer + width_bucket(rank, every.relevant) FROM unnest(every.irrelevant)
                    WITH ORDINALITY AS r (rank, i))
                  AS irrelevant, '{}'::integer[] AS pooled OFFSET 0) l$q$,
                  CASE WHEN cut THEN 'whole' ELSE 'retrieved' END) ELSE '' END
$$;
COMMENT ON FUNCTION score_lists(text, text, boolean, boolean) IS
    'FROM item of a statement of score_statement: ranks and grades of judged documents, cut or condensed if requested';
