-- filter_range: the part of filter_condition for a range of numbers ([from, to], either may be null) or a single
-- number.
--
-- key: key of the filter. wanted: its value. expression: the expression to compare. type: the type that the bounds are
-- converted to. expression and type come from our code, never from the user.
-- Raises IR202 for anything else, a range without a bound or with the larger number first, and a bound outside the
-- type.
CREATE OR REPLACE FUNCTION filter_range(key text, wanted jsonb, expression text, type text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    -- 2015.0 is 2015
    bound CONSTANT text := CASE filter_range.type WHEN 'integer' THEN 'numeric::integer' ELSE filter_range.type END;
BEGIN
    IF NOT coalesce(
        CASE jsonb_typeof(filter_range.wanted)
            WHEN 'number' THEN true
            WHEN 'array' THEN jsonb_array_length(filter_range.wanted) = 2
                AND NOT jsonb_path_exists(filter_range.wanted,
                                          'strict $[*] ? (@.type() != "number" && @.type() != "null")')
                AND filter_range.wanted <> '[null, null]'
        END, false)
        OR filter_range.type = 'integer'
            AND jsonb_path_exists(filter_range.wanted,
                                  '$[*] ? (@.type() == "number" && (@ % 1 != 0 || @.abs() > 2147483647))')
        OR jsonb_path_exists(filter_range.wanted, '$[*] ? (@.type() == "number" && @.abs() > 1e300)')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a filter''s %s must be a range of %s, not %s', filter_range.key,
                             CASE filter_range.type WHEN 'integer' THEN 'integers' ELSE 'numbers' END,
                             left(filter_range.wanted::text, 80)),
            HINT = format('Write a number, or two of which one may be null: {"%s": [10, null]}.', filter_range.key);
    END IF;
    IF jsonb_typeof(filter_range.wanted) = 'array'
        AND (filter_range.wanted ->> 0)::numeric > (filter_range.wanted ->> 1)::numeric THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a filter''s %s ranges from %s to %s and so matches nothing',
                             filter_range.key, filter_range.wanted ->> 0, filter_range.wanted ->> 1),
            HINT = 'Write the smaller number first.';
    END IF;
    RETURN CASE jsonb_typeof(filter_range.wanted)
        WHEN 'number' THEN format('%s = ($1 ->> %L)::%s', filter_range.expression, filter_range.key, bound)
        ELSE concat_ws(' AND ',
            CASE WHEN filter_range.wanted ->> 0 IS NOT NULL THEN
                format('%s >= ($1 -> %L ->> 0)::%s', filter_range.expression, filter_range.key, bound) END,
            CASE WHEN filter_range.wanted ->> 1 IS NOT NULL THEN
                format('%s <= ($1 -> %L ->> 1)::%s', filter_range.expression, filter_range.key, bound) END)
    END;
END
$$;
COMMENT ON FUNCTION filter_range(text, jsonb, text, text) IS 'Part of filter_condition: a range of numbers';
