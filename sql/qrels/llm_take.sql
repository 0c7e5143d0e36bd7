-- llm_take: claim pairs for this session to query a judge, and return the state of each as in llm_state, or held if
-- another session has claimed it.
--
-- A claim is an advisory lock of the session, so it ends when its process ends for any reason. The lock is acquired
-- before the state is read in a later snapshot, so everything that another session committed before releasing a pair is
-- visible. Only pairs with state ask stay claimed; llm_release releases them.
CREATE OR REPLACE FUNCTION llm_take(judge integer, queries integer[], docs bigint[],
                                    retry_malformed boolean DEFAULT false)
RETURNS TABLE (query integer, doc bigint, state text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    claimed boolean[];
BEGIN
    claimed := ARRAY(SELECT pg_try_advisory_lock(llm_key(llm_take.judge, u.query, u.doc))
                       FROM unnest(llm_take.queries, llm_take.docs) WITH ORDINALITY AS u(query, doc, place)
                      ORDER BY u.place);
    FOR query, doc, state IN
        SELECT s.query, s.doc, CASE WHEN claimed[s.place] THEN s.state ELSE 'held' END
          FROM llm_state(llm_take.judge, llm_take.queries, llm_take.docs, llm_take.retry_malformed) s ORDER BY s.place
    LOOP
        IF state NOT IN ('ask', 'held') THEN
            PERFORM pg_advisory_unlock(llm_key(llm_take.judge, query, doc));
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION llm_take(integer, integer[], bigint[], boolean) IS
    'Claims pairs of query and document for this session to query a judge, and returns the state of each (see '
    'llm_state) or held';
