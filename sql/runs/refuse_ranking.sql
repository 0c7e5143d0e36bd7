-- refuse_ranking: raise the error of a ranking that cannot be stored: IR301 with the names of run and query.
CREATE OR REPLACE FUNCTION refuse_ranking(
    run integer, query integer, problem text,
    hint text DEFAULT 'Number the ranks by score: row_number() OVER (PARTITION BY query ORDER BY rel_score DESC).')
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'IR301',
        MESSAGE = format('run %s, query %s: %s',
                         (SELECT shown_name(n.run) FROM public.st1_runs n WHERE n.id = refuse_ranking.run),
                         (SELECT shown_name(q.query) FROM st1_queries q WHERE q.id = refuse_ranking.query),
                         refuse_ranking.problem),
        HINT = refuse_ranking.hint;
END
$$;
COMMENT ON FUNCTION refuse_ranking(integer, integer, text, text) IS
    'Raise the error of a ranking that cannot be stored';
