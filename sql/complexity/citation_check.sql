-- citation_check: compare n_citation with the references in the corpus, as one row.
--
--   documents         number of documents; with_references: those with at least one reference
--   listed            number of references of all documents, as counted by corpus_status; repeated: those that the same
--                     document lists again
--   itself            number of documents that list themselves
--   inside            number of references to another document of the corpus, each counted once per document
--   compared          number of documents with n_citation; the following columns are about these
--   contradicted      number of documents with more citations counted than n_citation states; share: share of compared
--   n_citation, counted  sums
--   spearman          rank correlation of n_citation and counted, tied values at their mean rank (Spearman, 1904); NULL
--                     if one of them is constant
--   worst_documents   at most `worst` contradicted documents, greatest excess first, as a JSON array of
--                     {id, docno, n_citation, counted, title}
--
-- Raises IR202 worst below 0.
CREATE OR REPLACE FUNCTION citation_check(worst integer DEFAULT 10)
RETURNS TABLE (
    documents bigint, with_references bigint, listed bigint, repeated bigint, itself bigint, inside bigint,
    compared bigint,
    contradicted bigint, share double precision, n_citation bigint, counted bigint, spearman double precision,
    worst_documents jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1
SET search_path = stc_all, stc, public, pg_temp
SET work_mem = '256MB'
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF citation_check.worst IS NULL OR citation_check.worst < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('worst is %s', coalesce(citation_check.worst::text, 'NULL')),
            HINT = 'worst is the maximum number of documents to list, 0 or more.';
    END IF;
    RETURN QUERY
    WITH targets AS MATERIALIZED (
        SELECT r.target, count(*) FILTER (WHERE r.target <> r.doc) AS counted, sum(r.times)::bigint AS listed,
               (sum(r.times) - count(*))::bigint AS repeated, bool_or(r.target = r.doc) AS itself
          FROM corpus_references r GROUP BY r.target
    ), counts AS MATERIALIZED (
        SELECT f.id, f.n_citation, coalesce(t.counted, 0) AS counted
          FROM dblp_facts f LEFT JOIN targets t ON t.target = f.id WHERE f.n_citation IS NOT NULL
    ), ranks AS (
        SELECT rank() OVER (ORDER BY c.n_citation) + (count(*) OVER (PARTITION BY c.n_citation) - 1)
               / 2.0::double precision AS x,
               rank() OVER (ORDER BY c.counted) + (count(*) OVER (PARTITION BY c.counted) - 1)
                   / 2.0::double precision AS y
          FROM counts c
    ), against AS (
        SELECT c.id, c.n_citation, c.counted FROM counts c WHERE c.counted > c.n_citation
         ORDER BY c.counted - c.n_citation DESC, c.id LIMIT citation_check.worst
    )
    SELECT f.documents, f.with_references, t.listed, t.repeated, t.itself, t.inside, c.compared, c.contradicted,
           c.contradicted / nullif(c.compared, 0)::double precision, c.n_citation, c.counted,
           (SELECT corr(r.x, r.y) FROM ranks r),
           (SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'docno', d.docno, 'n_citation', a.n_citation,
                                                         'counted', a.counted, 'title', d.doc ->> 'title')
                                      ORDER BY a.counted - a.n_citation DESC, a.id), '[]')
              FROM against a JOIN dblp d ON d.id = a.id)
      FROM (SELECT count(*) AS documents, count(*) FILTER (WHERE f.n_reference > 0) AS with_references
              FROM dblp_facts f) f,
           (SELECT coalesce(sum(t.listed), 0)::bigint AS listed, coalesce(sum(t.repeated), 0)::bigint AS repeated,
                   count(*) FILTER (WHERE t.itself) AS itself, coalesce(sum(t.counted), 0)::bigint AS inside
                       FROM targets t) t,
           (SELECT count(*) AS compared, count(*) FILTER (WHERE c.counted > c.n_citation) AS contradicted,
                   coalesce(sum(c.n_citation), 0)::bigint AS n_citation, coalesce(sum(c.counted), 0)::bigint AS counted
              FROM counts c) c;
END
$$;
COMMENT ON FUNCTION citation_check(integer) IS
'Compare n_citation with the references in the corpus: counts, contradictions, rank correlation, worst documents';
