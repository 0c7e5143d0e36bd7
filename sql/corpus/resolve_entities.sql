-- resolve_entities: replace character references in a text: numbers (&#233;) and amp, lt, gt, quot, apos, nbsp.
--
-- The ampersand is last, so that each reference is resolved once: &amp;lt; becomes &lt;.
-- Other names are kept, whereas a load resolves all names of HTML.
CREATE OR REPLACE FUNCTION resolve_entities(content text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    found text;
    code integer;
BEGIN
    FOR found IN
        SELECT DISTINCT m.found[1]
          FROM regexp_matches(content, '&(#\d{1,7}|#[xX][[:xdigit:]]{1,6}|lt|gt|quot|apos|nbsp);', 'g') m (found)
    LOOP
        code := CASE WHEN found ~ '^#[xX]' THEN ('x' || lpad(substr(found, 3), 8, '0'))::bit(32)::integer
                     WHEN found LIKE '#%' THEN substr(found, 2)::integer
                     WHEN found = 'lt' THEN 60 WHEN found = 'gt' THEN 62 WHEN found = 'quot' THEN 34
                     WHEN found = 'apos' THEN 39 WHEN found = 'nbsp' THEN 160 END;
        IF code BETWEEN 1 AND 55295 AND code <> 38 OR code BETWEEN 57344 AND 1114111 THEN
            content := replace(content, '&' || found || ';', chr(code));
        END IF;
    END LOOP;
    RETURN regexp_replace(content, '&(amp|#0*38|#[xX]0*26);', '&', 'g');
END
$$;
COMMENT ON FUNCTION resolve_entities(text) IS 'Replace character references such as &#233; and &amp; in a text';
