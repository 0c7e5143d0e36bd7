-- open_to_assess: token of the next document that an annotator should judge, as next_to_assess, but without a lock; for
-- web pages, which have no database session. The first row of open_on_sheet; NULL if there are no more.
--
-- Raises the errors of open_on_sheet.
CREATE OR REPLACE FUNCTION open_to_assess(pool text, annotator text, query text DEFAULT NULL,
                                          passed text[] DEFAULT '{}', query_set text DEFAULT 'all') RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT o.token FROM open_on_sheet(open_to_assess.pool, open_to_assess.annotator, open_to_assess.query,
                                      open_to_assess.passed, open_to_assess.query_set) o
$$;
COMMENT ON FUNCTION open_to_assess(text, text, text, text[], text) IS
    'Token of the next document an annotator should judge, of one query, a set or all, without a lock; NULL if '
    'there are no more';
