-- agreement_side: resolve the name of a side of an agreement (agreement_readings) to an edition, its key, an origin and
-- an annotator, or to a pool and an annotator; NULL means any.
--
-- An edition with exactly that name takes precedence over other readings.
-- Raises IR110 no such pool; IR102 no such edition, or no judgment of that origin or annotator in it; IR202 no such
-- origin, or an ambiguous name.
CREATE OR REPLACE FUNCTION agreement_side(name text, OUT edition_id integer, OUT edition text, OUT origin text,
                                          OUT annotator text, OUT pool integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    readings bigint;
    wrong text;
    known text[];
BEGIN
    SELECT r.edition_id, r.edition, r.origin, r.annotator, r.pool, count(*) OVER ()
      INTO agreement_side.edition_id, agreement_side.edition, agreement_side.origin, agreement_side.annotator,
           agreement_side.pool, readings
      FROM agreement_readings(agreement_side.name) r
     WHERE r.origin IS NULL OR r.origin IN ('human', 'llm', 'knn')
     ORDER BY r.edition <> agreement_side.name COLLATE "C" LIMIT 1;
    IF NOT FOUND THEN
        SELECT r.origin INTO wrong FROM agreement_readings(agreement_side.name) r LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('%L in %s is not an origin', wrong, agreement_side.name),
                HINT = 'Use human, llm or knn: EDITION:human, EDITION:llm/MODEL, or EDITION:/ANNOTATOR for any origin.';
        END IF;
        wrong := agreement_side.name;
        IF starts_with(wrong, 'pool:') THEN
            PERFORM pool_key(substr(wrong, 6));
        ELSIF wrong IS JSON OBJECT AND wrong::jsonb ? 'pool' THEN
            PERFORM pool_key(wrong::jsonb ->> 'pool');
        ELSIF wrong IS JSON OBJECT THEN
            wrong := wrong::jsonb ->> 'edition';
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %L', wrong), HINT = concat(
            'Did you mean ' || quote_literal(coalesce(
                (SELECT e.edition FROM qrels_editions e WHERE e.edition = split_part(wrong, ':', 1) COLLATE "C"),
                nearest_name(split_part(wrong, ':', 1), ARRAY(SELECT e.edition FROM qrels_editions e)))) || '? ',
                '''stc show editions'' lists all editions.');
    END IF;
    IF readings > 1 AND agreement_side.edition IS DISTINCT FROM agreement_side.name COLLATE "C" THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is ambiguous: it matches several editions or pools', agreement_side.name),
            HINT = 'Write it as {"edition": "…", "origin": "…", "annotator": "…"}, or {"pool": "…", '
                   '"annotator": "…"}.';
    END IF;
    IF agreement_side.pool IS NOT NULL THEN
        IF agreement_side.annotator IS NOT NULL
           AND NOT EXISTS (SELECT FROM pool_grades(agreement_side.pool, agreement_side.annotator)) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR102',
                MESSAGE = format('%s has no grade by %L', agreement_side.edition, agreement_side.annotator),
                HINT = concat('It has grades of '
                              || nullif(array_to_string(ARRAY(SELECT s.side FROM pool_sides(agreement_side.pool) s),
                                                        ', '), '') || '.');
        END IF;
    ELSIF (agreement_side.origin IS NOT NULL OR agreement_side.annotator IS NOT NULL) AND NOT EXISTS (
            SELECT FROM qrels_judgments j
             WHERE j.edition = agreement_side.edition_id AND j.origin = coalesce(agreement_side.origin, j.origin)
               AND j.annotator = coalesce(agreement_side.annotator, j.annotator)) THEN
        known := ARRAY(SELECT DISTINCT j.annotator FROM qrels_judgments j WHERE j.edition = agreement_side.edition_id
                          AND j.origin = coalesce(agreement_side.origin, j.origin));
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = concat(
            format('edition %L has no judgments', agreement_side.edition),
            ' of the origin ' || agreement_side.origin,
            ' by ' || quote_literal(agreement_side.annotator)), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(agreement_side.annotator, known)) || '? ',
            'It has judgments of ' || (SELECT string_agg(s.side, ', ') FROM (
                SELECT a.side FROM agreement_sides(agreement_side.edition) a LIMIT 12) s) || '.');
    END IF;
END
$$;
COMMENT ON FUNCTION agreement_side(text) IS
    'Resolves the name of a side of an agreement to edition, origin and annotator; NULL means any';
