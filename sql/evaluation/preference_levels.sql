-- preference_levels: the levels that preferences between the documents of one query are read from; a larger level is
-- preferred, within one subgroup of one judgment group. judgments says which:
--
--   prefs         preferences as they were given (qrels_preferences)
--   qrels_prefs   those implied by graded judgments: each annotator is a group with one subgroup, the grade is the
--                 level
--
-- All by keys; arguments are taken as checked.
CREATE OR REPLACE FUNCTION preference_levels(edition integer, query integer, judgments text)
RETURNS TABLE (annotator text, subgroup text, doc bigint, rel double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT p.annotator, p.subgroup, p.doc, p.rel FROM qrels_preferences p
     WHERE preference_levels.judgments = 'prefs' AND p.edition = preference_levels.edition
       AND p.query = preference_levels.query
     UNION ALL
    SELECT g.annotator, '0', g.doc, g.rel FROM group_judgments g
     WHERE preference_levels.judgments = 'qrels_prefs' AND g.edition = preference_levels.edition
       AND g.query = preference_levels.query
$$;
COMMENT ON FUNCTION preference_levels(integer, integer, text) IS
'The levels preferences are read from, for one query of an edition';
