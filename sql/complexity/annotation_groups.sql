-- annotation_groups: the groups of annotators to analyse for an aspect, in order: those given, or all groups that
-- graded it if none are given.
-- Raises IR111 a group that is not stored, IR202 an unknown aspect, IR405 no grades for the aspect.
CREATE OR REPLACE FUNCTION annotation_groups(aspect text DEFAULT 'complexity', groups text[] DEFAULT '{}')
    RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    told text[];
    wrong text;
    near text;
BEGIN
    IF annotation_groups.aspect IS NULL OR annotation_groups.aspect NOT IN ('complexity', 'credibility') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not an aspect', annotation_groups.aspect),
            HINT = 'The aspects are complexity and credibility.';
    END IF;
    SELECT g.name INTO wrong FROM unnest(annotation_groups.groups) WITH ORDINALITY AS g (name, at)
     WHERE NOT EXISTS (SELECT FROM annotators w WHERE w.annotator_group = g.name COLLATE "C") ORDER BY g.at LIMIT 1;
    IF FOUND THEN
        near := nearest_name(wrong, ARRAY(SELECT DISTINCT w.annotator_group FROM annotators w));
        RAISE EXCEPTION USING ERRCODE = 'IR111', MESSAGE = format('there is no group of annotators %L', wrong),
            HINT = concat('Did you mean ' || quote_literal(near) || '? ',
                          '''stc show annotations'' lists the groups.');
    END IF;
    told := ARRAY(
        SELECT DISTINCT w.annotator_group FROM annotators w JOIN annotations a ON a.annotator = w.annotator
         WHERE a.aspect = annotation_groups.aspect
           AND (cardinality(coalesce(annotation_groups.groups, '{}')) = 0
                OR w.annotator_group = ANY (annotation_groups.groups))
         ORDER BY 1);
    IF cardinality(told) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('nobody%s graded %s',
                             ' in the group ' || nullif(array_to_string(annotation_groups.groups, ', '), ''),
                             annotation_groups.aspect),
            HINT = '''stc load --as annotations'' imports grades, and ''stc show annotations'' '
                   'lists the stored ones.';
    END IF;
    RETURN told;
END
$$;
COMMENT ON FUNCTION annotation_groups(text, text[]) IS 'Groups of annotators to analyse for an aspect, in order';
