-- shown_name: format a text for a message: quoted, cut to 60 characters, unprintable characters as code points
-- (\u001B).
CREATE OR REPLACE FUNCTION shown_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT '''' || coalesce(string_agg(CASE WHEN c.sign = ' ' OR is_name(c.sign) THEN c.sign
                                            WHEN ascii(c.sign) > 65535
                                                THEN '\U' || lpad(upper(to_hex(ascii(c.sign))), 8, '0')
                                            ELSE '\u' || lpad(upper(to_hex(ascii(c.sign))), 4, '0') END, ''
                                                ORDER BY c.place), '')
                || CASE WHEN length(shown_name.name) > 60 THEN '…''' ELSE '''' END
      FROM string_to_table(left(shown_name.name, 60), NULL) WITH ORDINALITY AS c (sign, place)
$$;
COMMENT ON FUNCTION shown_name(text) IS
'Format a text for a message: quoted, shortened, unprintable characters as code points';
