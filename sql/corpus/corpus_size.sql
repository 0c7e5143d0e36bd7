-- corpus_size: the number of documents, and of those with an abstract, without stubs, for callers that ask often. Above
-- 200,000 documents, the number of abstracts is estimated from the statistics of ANALYZE, because counting them reads
-- all texts; estimated is then true.
CREATE OR REPLACE FUNCTION corpus_size(OUT documents bigint, OUT abstracts bigint, OUT estimated boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    SELECT count(*) INTO documents FROM dblp_facts;
    IF documents > 200000 THEN
        SELECT round(corpus_size.documents * (1 - s.null_frac)) INTO abstracts
          FROM pg_stats s WHERE s.schemaname = 'public' AND s.tablename = 'dblp_text' AND s.attname = 'abstract';
    END IF;
    estimated := abstracts IS NOT NULL;
    IF NOT estimated THEN
        SELECT count(*) INTO abstracts FROM dblp_text t JOIN dblp d ON d.id = t.id
         WHERE NOT d.stub AND t.abstract IS NOT NULL;
    END IF;
END
$$;
COMMENT ON FUNCTION corpus_size() IS
'Number of documents and of abstracts; the latter is estimated in a large collection';
