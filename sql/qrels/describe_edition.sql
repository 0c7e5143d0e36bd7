-- describe_edition: says of an edition what it is: its description, its split (train or test), the year of the track,
-- and the mapping its grades came by, {theirs: ours}. NULL leaves what there is. anew false: what is said already is
-- not said otherwise, but for the description; so an import does it.
-- Raises IR102 no such edition, IR202 another split, or what is said otherwise already, IR407 a sealed edition.
CREATE OR REPLACE FUNCTION describe_edition(
    edition text, description text DEFAULT NULL, split text DEFAULT NULL, year integer DEFAULT NULL,
    scale jsonb DEFAULT NULL,
    anew boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    edition_id integer := edition_key(describe_edition.edition);
    other record;
BEGIN
    IF describe_edition.split NOT IN ('train', 'test') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is no split', describe_edition.split),
            HINT = 'An edition is of train or of test, or of neither.';
    END IF;
    SELECT w.what, w.stored, w.given INTO other
      FROM qrels_editions e
     CROSS JOIN LATERAL (VALUES ('split', e.split, describe_edition.split),
                         ('year', e.year::text, describe_edition.year::text)
                        ) AS w (what, stored, given)
     WHERE e.id = edition_id AND NOT describe_edition.anew AND w.stored <> w.given LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the %s of the edition %L is %s, not %s', other.what, describe_edition.edition,
                             other.stored, other.given),
            HINT = 'Take another edition, or ''stc qrels describe'' this one anew.';
    END IF;
    SELECT e.scale AS stored INTO other FROM qrels_editions e
     WHERE e.id = edition_id AND describe_edition.scale IS NOT NULL AND e.scale <> describe_edition.scale;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the grades of the edition %L came by another mapping, %s', describe_edition.edition,
                             other.stored),
            HINT = 'Import into another edition; ''stc qrels derive'' puts several together.';
    END IF;
    UPDATE qrels_editions e
       SET description = coalesce(describe_edition.description, e.description),
           split = coalesce(describe_edition.split, e.split),
           year = coalesce(describe_edition.year, e.year), scale = coalesce(describe_edition.scale, e.scale)
     WHERE e.id = edition_id;
END
$$;
COMMENT ON FUNCTION describe_edition(text, text, text, integer, jsonb, boolean) IS
    'Says of an edition what it is: description, split, year, mapping of grades';
