-- is_name: return true if a text can be the name of a run, team, edition, model, person, pool, query, topic or measure.
--
-- A name has 1 to 200 characters, all printable, and no space at either end. Not printable are control and format
-- characters (zero width, direction of text), every space except U+0020, invisible characters, private use and code
-- points without a character. stcollection/names.py lists them, and the CHECK constraints *_name_check are equal.
-- NULL for NULL.
CREATE OR REPLACE FUNCTION is_name(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT length(is_name.name) BETWEEN 1 AND 200
       AND is_name.name !~
           '^ | $|[\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F'
           '\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF'
           '\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF'
           '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF]'
$$;
COMMENT ON FUNCTION is_name(text) IS
'True if a text can be a name: 1 to 200 printable characters, no space at either end';
