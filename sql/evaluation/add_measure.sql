-- add_measure: add a measure, or replace one that was added. measures.toml explains the parts of a measure, and
-- measure_formula what a formula may contain.
--
--   SELECT add_measure('Hits', '{hits}', takes => 'cutoff', defaults => '{10}', range => '[0,]',
--                      definition => 'relevant documents among the first k');
--   SELECT add_measure('Halving', 'sum(u.g * {p} ^ (u.rank - 1))', documents => 'gained',
--                      parameters => '[{"name": "p", "default": 0.5, "range": "[0,1]"}]');
--
-- Then it is a measure like the others: Hits@10, Halving(p=0.8). Its values are computed at each use and not stored, so
-- a changed formula takes effect at once. Score requests on hidden editions do not report it.
--
-- Organisers and owners add measures: a name must mean the same for all who compare scores. A formula reads the judged
-- ranks of one ranking, of an edition that the caller can score anyway, and runs with the caller's rights.
-- stc.drop_measure removes it.
-- Raises IR202 a name that cannot be used, a formula that cannot be read, with the place in it, or that fails for small
-- rankings (try_measure), IR410 another role.
CREATE OR REPLACE FUNCTION public.add_measure(
    measure text, value text, takes text DEFAULT 'nothing', definition text DEFAULT NULL, documents text DEFAULT NULL,
    gain text DEFAULT NULL,
    parameters jsonb DEFAULT NULL, defaults double precision[] DEFAULT NULL, mean text DEFAULT 'mean',
    range numrange DEFAULT '[0,1]', source text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    name CONSTANT text := concat(lower(add_measure.measure), CASE add_measure.takes WHEN 'cutoff' THEN '_cut' END);
    problem text;
BEGIN
    IF NOT has_table_privilege('own_measures', 'DELETE') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not add measures', current_user),
            HINT = 'Ask an organiser: a measure has the same meaning for everybody.';
    ELSIF coalesce(add_measure.takes NOT IN ('nothing', 'cutoff'), true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a measure cannot take %s', coalesce(quote_literal(takes), 'NULL')),
            HINT = 'Use nothing, or cutoff; numbers with a name are parameters.';
    ELSIF add_measure.measure IS NULL OR add_measure.value IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a measure needs a name and a formula',
            HINT = 'SELECT add_measure(''Hits'', ''{hits}'', takes => ''cutoff'');';
    END IF;
    DELETE FROM own_measures m WHERE m.kind = name;
    INSERT INTO own_measures (kind, ir, cutoff, defaults, parameters, mean, range, definition, documents, gain, value,
                              source)
    VALUES (name, add_measure.measure, add_measure.takes = 'cutoff',
            coalesce(add_measure.defaults, CASE add_measure.takes WHEN 'cutoff' THEN '{10}'::double precision[] END),
            add_measure.parameters, coalesce(add_measure.mean, ''), coalesce(add_measure.range, '[0,1]'),
            coalesce(add_measure.definition, add_measure.value), add_measure.documents, add_measure.gain,
            add_measure.value, add_measure.source);
    SELECT o.fault INTO problem FROM own_kinds() o WHERE o.kind = name;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the measure %s cannot be added: %s', left(add_measure.measure, 80), problem),
            HINT = 'docs/howto/score.md has examples; measures.toml in sql/evaluation explains the parts of a measure.';
    END IF;
    PERFORM try_measure(name);
END
$$;
COMMENT ON FUNCTION public.add_measure(
    text, text, text, text, text, text, jsonb, double precision[], text, numrange, text) IS
    'Adds a measure with a formula, such as Hits, for organisers; it is used like the measures of the product';
