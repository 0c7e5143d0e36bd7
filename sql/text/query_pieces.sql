-- query_pieces: split a typed query into its pieces, in order. This is the first half of the query language
-- (docs/howto/search.md); read_query is the second.
--
--   kind     piece
--   word     a word; consecutive words without operators are one piece, so that a thesaurus sees its phrases
--   compound a word that contains signs (state-of-the-art, pg_class): its parts must be adjacent
--   phrase   "a phrase"
--   prefix   word*
--   ( ) |    parentheses that change the meaning (others are dropped), OR
--
-- sign is + or -, field is title or abstract; both are NULL if absent. Parentheses change the meaning after a sign or
-- field and next to OR. Parentheses nested deeper than 20 and unbalanced ones are dropped. Every text is a valid query;
-- nothing raises.
CREATE OR REPLACE FUNCTION query_pieces(query text)
RETURNS TABLE (kind text, sign text, field text, body text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    kinds text[];
    signs text[];
    fields text[];
    bodies text[];
    opened integer[] := '{}';
    opener integer;
    piece integer := 1;
    plain CONSTANT text := '^[[:alnum:]]+(:[[:alnum:]]+)*[.,;:!?]*$';
BEGIN
    SELECT array_agg(CASE WHEN m.found[3] IN ('(', ')', '|') THEN m.found[3]
                          WHEN m.found[3] = 'OR' THEN '|'
                          WHEN m.found[3] ~ '^"' THEN 'phrase'
                          WHEN m.found[3] ~ '[[:alnum:]]\*+[^[:alnum:]*]*$' THEN 'prefix'
                          WHEN m.found[3] ~ plain THEN 'word'
                          ELSE 'compound' END ORDER BY m.place),
           array_agg(nullif(m.found[1], '') ORDER BY m.place),
           array_agg(lower(nullif(rtrim(m.found[2], ':'), '')) ORDER BY m.place),
           -- foo:bar is two words if foo is not a field
           array_agg(CASE WHEN m.found[3] ~ '^"' THEN btrim(m.found[3], '"')
                          ELSE regexp_replace(m.found[3], ':(?=[[:alnum:]])', ' ', 'g') END ORDER BY m.place)
      INTO kinds, signs, fields, bodies
      FROM regexp_matches(tidy_query(query_pieces.query),
                          '([-+]?)((?:(?:title|abstract):)?)("[^"]*"|[()|]|[^\s"()|]+)',
                          'gi') WITH ORDINALITY m (found, place)
     WHERE m.found[3] <> 'AND';

    FOR place IN 1 .. coalesce(cardinality(kinds), 0) LOOP
        IF kinds[place] = '(' THEN
            opened := opened || place;
        ELSIF kinds[place] = ')' AND opened <> '{}' THEN
            opener := opened[cardinality(opened)];
            opened := trim_array(opened, 1);
            IF cardinality(opened) >= 20
                OR signs[opener] IS NULL AND fields[opener] IS NULL
                   AND coalesce(kinds[opener - 1], '') <> '|' AND coalesce(kinds[place + 1], '') <> '|'
            THEN
                kinds[opener] := '';
                kinds[place] := '';
            END IF;
        ELSIF kinds[place] = ')' THEN
            kinds[place] := '';
        END IF;
    END LOOP;
    FOREACH opener IN ARRAY opened LOOP
        kinds[opener] := '';
    END LOOP;
    SELECT array_agg(u.kind ORDER BY u.place), array_agg(u.sign ORDER BY u.place), array_agg(u.field ORDER BY u.place),
           array_agg(u.body ORDER BY u.place)
      INTO kinds, signs, fields, bodies
      FROM unnest(kinds, signs, fields, bodies) WITH ORDINALITY u (kind, sign, field, body, place) WHERE u.kind <> '';

    WHILE piece <= cardinality(kinds) LOOP
        kind := kinds[piece];
        sign := signs[piece];
        field := fields[piece];
        body := bodies[piece];
        IF kind = 'word' AND sign IS NULL AND field IS NULL AND coalesce(kinds[piece - 1], '') <> '|' THEN
            WHILE kinds[piece + 1] = 'word' AND signs[piece + 1] IS NULL AND fields[piece + 1] IS NULL
                AND coalesce(kinds[piece + 2], '') <> '|' AND kinds[piece] = 'word'
            LOOP
                piece := piece + 1;
                body := body || ' ' || bodies[piece];
            END LOOP;
        END IF;
        RETURN NEXT;
        piece := piece + 1;
    END LOOP;
END
$$;
COMMENT ON FUNCTION query_pieces(text) IS
'Split a typed query into words, phrases, prefixes, OR and parentheses, each with sign and field';
