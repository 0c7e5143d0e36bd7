-- settle_rankings: check the scores of the temporary table incoming, handle unknown queries and documents
-- (resolve_incoming), and remove repeated documents by on_duplicate: first (in the file) or best (highest score, then
-- first). error leaves them to pack_incoming. Documents that are left out for a query (exclude_documents) are removed.
-- Raises IR301 a score that is not a finite number, and the errors of resolve_incoming.
CREATE OR REPLACE FUNCTION settle_rankings(
    source text, on_duplicate text, unknown_documents text, unknown_queries text, OUT duplicates bigint,
    OUT new_documents bigint, OUT skipped_documents bigint, OUT new_queries bigint, OUT skipped_queries bigint,
    OUT excluded bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    SELECT i.line, i.rel_score INTO bad FROM pg_temp.incoming i
     WHERE i.rel_score IS NULL OR i.rel_score IN ('NaN', 'Infinity', '-Infinity') ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: the score %s is not a finite number', settle_rankings.source, bad.line,
                             coalesce(bad.rel_score::text, 'NULL')),
            HINT = 'Correct the line. Nothing was stored.';
    END IF;
    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(settle_rankings.source, settle_rankings.unknown_documents, settle_rankings.unknown_queries);

    DELETE FROM pg_temp.incoming i USING st1_queries q, pg_temp.incoming_docs d
     WHERE q.query = i.query AND q.excluded <> '{}' AND d.docno = i.docno AND d.id = ANY (q.excluded);
    GET DIAGNOSTICS excluded = ROW_COUNT;
    duplicates := 0;
    IF settle_rankings.on_duplicate <> 'error' THEN
        DELETE FROM pg_temp.incoming i
         USING (SELECT line, row_number() OVER (PARTITION BY query, docno
                    ORDER BY CASE WHEN settle_rankings.on_duplicate = 'best' THEN rel_score END DESC, line) AS place
                  FROM pg_temp.incoming) o
         WHERE o.line = i.line AND o.place > 1;
        GET DIAGNOSTICS duplicates = ROW_COUNT;
    END IF;
END
$$;
COMMENT ON FUNCTION settle_rankings(text, text, text, text) IS
    'Checks the temporary table incoming of a run, and handles unknown names and repeated documents by policy';
