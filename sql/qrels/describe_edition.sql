-- describe_edition: set the description, split (train or test), year and grade mapping {theirs: ours} of an edition.
-- NULL leaves a value unchanged.
--
-- With anew false, a split or year that is already set cannot be changed; imports use this. A grade mapping can never
-- be changed.
-- Raises IR102 no such edition, IR202 no such split, or a value that cannot be changed, IR407 a sealed edition.
CREATE OR REPLACE FUNCTION describe_edition(
    edition text, description text DEFAULT NULL, split text DEFAULT NULL, year integer DEFAULT NULL,
    scale jsonb DEFAULT NULL,
    anew boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    edition_id integer := edition_key(describe_edition.edition);
    other record;
BEGIN
    IF describe_edition.split NOT IN ('train', 'test') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a split', describe_edition.split),
            HINT = 'Use train or test, or leave the split empty.';
    END IF;
    SELECT w.what, w.stored, w.given INTO other
      FROM qrels_editions e
     CROSS JOIN LATERAL (VALUES ('split', e.split, describe_edition.split),
                         ('year', e.year::text, describe_edition.year::text)
                        ) AS w (what, stored, given)
     WHERE e.id = edition_id AND NOT describe_edition.anew AND w.stored <> w.given LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the %s of edition %L is %s, not %s', other.what, describe_edition.edition,
                             other.stored, other.given),
            HINT = 'Use another edition, or change this one with ''stc publish describe''.';
    END IF;
    SELECT e.scale AS stored INTO other FROM qrels_editions e
     WHERE e.id = edition_id AND describe_edition.scale IS NOT NULL AND e.scale <> describe_edition.scale;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %L has another grade mapping, %s', describe_edition.edition, other.stored),
            HINT = 'Import into another edition; ''stc publish derive'' combines editions.';
    END IF;
    UPDATE qrels_editions e
       SET description = coalesce(describe_edition.description, e.description),
           split = coalesce(describe_edition.split, e.split),
           year = coalesce(describe_edition.year, e.year), scale = coalesce(describe_edition.scale, e.scale)
     WHERE e.id = edition_id;
END
$$;
COMMENT ON FUNCTION describe_edition(text, text, text, integer, jsonb, boolean) IS
    'Sets the description, split, year and grade mapping of an edition; NULL leaves a value unchanged';
