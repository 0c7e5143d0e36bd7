-- settle_incoming: remove repeated rows from the temporary table incoming (stage_incoming), and return their number;
-- or, if rows for one item differ in their value, remove none and return the first such row.
--
--   item      the columns that identify an item, such as {query,subtopic,docno}
--   valued    the column with its value: rel or rel_score
--
-- line is NULL without a conflict; otherwise the row at line has value, and the item's first row, at first_line, has
-- first_value.
CREATE OR REPLACE FUNCTION settle_incoming(
    item text[], valued text,
    OUT duplicates bigint, OUT line bigint, OUT value text, OUT first_line bigint, OUT first_value text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    columns CONSTANT text := (SELECT string_agg(format('%I', name), ', ' ORDER BY i)
                                FROM unnest(settle_incoming.item) WITH ORDINALITY AS c (name, i));
BEGIN
    EXECUTE format(
        'SELECT i.line, i.value::text, i.first_line, i.first_value::text'
        '  FROM (SELECT line, %1$I AS value, first_value(line) OVER item AS first_line,'
        '               first_value(%1$I) OVER item AS first_value'
        '          FROM pg_temp.incoming WINDOW item AS (PARTITION BY %2$s ORDER BY line)) i'
        ' WHERE i.value IS DISTINCT FROM i.first_value ORDER BY i.line LIMIT 1', settle_incoming.valued, columns)
        INTO line, value, first_line, first_value;
    IF line IS NULL THEN
        EXECUTE format(
            'DELETE FROM pg_temp.incoming i'
            ' USING (SELECT line, row_number() OVER (PARTITION BY %s ORDER BY line) AS place'
            '          FROM pg_temp.incoming) o'
            ' WHERE o.line = i.line AND o.place > 1', columns);
        GET DIAGNOSTICS duplicates = ROW_COUNT;
    END IF;
END
$$;
COMMENT ON FUNCTION settle_incoming(text[], text) IS
    'Removes repeated rows from the temporary table incoming, or returns the first row that contradicts an earlier '
    'one';
