-- preference_levels: levels of the documents of one query, from which preferences are derived. Within a subgroup of a
-- judgment group, a document with a higher level is preferred.
--
-- judgments selects the source:
--
--   prefs         preferences as given (qrels_preferences)
--   qrels_prefs   preferences implied by graded judgments: each annotator is a group with one subgroup, and the grade
--                 is the level
--
-- All values are keys; the caller has checked the arguments.
CREATE OR REPLACE FUNCTION preference_levels(edition integer, query integer, judgments text)
RETURNS TABLE (annotator text, subgroup text, doc bigint, rel double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.annotator, p.subgroup, p.doc, p.rel FROM qrels_preferences p
     WHERE preference_levels.judgments = 'prefs' AND p.edition = preference_levels.edition
       AND p.query = preference_levels.query
     UNION ALL
    SELECT g.annotator, '0', g.doc, g.rel FROM group_judgments g
     WHERE preference_levels.judgments = 'qrels_prefs' AND g.edition = preference_levels.edition
       AND g.query = preference_levels.query
$$;
COMMENT ON FUNCTION preference_levels(integer, integer, text) IS
    'Levels of the documents of one query, per annotator and subgroup; a higher level is preferred';
