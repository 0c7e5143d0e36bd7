-- set_families: set the family of stored runs, given parallel arrays of names and families. Returns the numbers of
-- families added, changed and unchanged.
--
-- Names that are not stored are skipped, because a list of a track's systems may contain runs that are not in this
-- collection.
-- Raises IR202 arrays of different lengths, an empty family, or two families for one run; IR405 none of the runs is
-- stored.
CREATE OR REPLACE FUNCTION set_families(runs text[], families text[])
RETURNS TABLE (added bigint, changed bigint, unchanged bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad text;
BEGIN
    IF cardinality(set_families.runs) IS DISTINCT FROM cardinality(set_families.families) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('got %s but %s', counted(coalesce(cardinality(set_families.runs), 0), 'run'),
                             counted(coalesce(cardinality(set_families.families), 0), 'family')),
            HINT = 'Give each run its family, in the same order.';
    END IF;
    SELECT coalesce(u.run, 'NULL') INTO bad FROM unnest(set_families.runs, set_families.families) AS u (run, family)
     GROUP BY u.run HAVING bool_or(coalesce(btrim(u.family), '') = '')
         OR min(u.family COLLATE "C") <> max(u.family COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('run %s has no family, or two', bad),
            HINT = 'Give each run exactly one family.';
    END IF;
    PERFORM FROM st1_runs n WHERE n.run = ANY (set_families.runs) ORDER BY n.id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'none of these runs is stored',
            HINT = '''stc show runs'' lists all runs.';
    END IF;
    SELECT count(*) FILTER (WHERE n.family IS NULL), count(*) FILTER (WHERE n.family <> u.family),
           count(*) FILTER (WHERE n.family = u.family)
      INTO added, changed, unchanged
      FROM (SELECT DISTINCT run, family FROM unnest(set_families.runs, set_families.families) AS u (run, family)) u
      JOIN st1_runs n ON n.run = u.run COLLATE "C";
    UPDATE st1_runs n SET family = u.family FROM unnest(set_families.runs, set_families.families) AS u (run, family)
     WHERE n.run = u.run COLLATE "C" AND n.family IS DISTINCT FROM u.family;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION set_families(text[], text[]) IS
    'Sets the family of stored runs; returns the numbers added, changed and unchanged; unknown names are skipped';
