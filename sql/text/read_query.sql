-- read_query: parse a typed query with the text search configuration of the text index.
--
--   required   conditions of operators: phrases, +required, -excluded, OR, prefixes, fields; empty without them
--   plain      all words without an operator
--   words      the distinct lexemes of plain, which minimum-should-match counts; NULL if plain is empty
--
-- OR binds tighter than the blank: a b OR c d is a (b OR c) d. Grammar: docs/howto/search.md. Every text is a valid
-- query. Raises IR401 if another version of PostgreSQL built the text index (check_text_major).
CREATE OR REPLACE FUNCTION read_query(query text, OUT required tsquery, OUT plain tsquery, OUT words text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    separation CONSTANT text := text_words();
    piece record;
    made text;
    must text[] := '{}';      -- conjunctions, as text of tsqueries
    free text[] := '{}';
    typed text[] := '{}';     -- the text of free
    -- The parser's state, one entry per open parenthesis: its conjunction; the OR group at its end, and whether that
    -- group waits for a right side; sign and field of the parenthesis.
    sums text[] := ARRAY[''];
    groups text[] := ARRAY[''];
    waits boolean[] := ARRAY[false];
    signs text[] := ARRAY[''];
    fields text[] := ARRAY[NULL::text];
    depth integer := 1;
BEGIN
    PERFORM check_text_major();
    FOR piece IN SELECT p.kind, coalesce(p.sign, '') AS sign, p.field, p.body,
        coalesce(lead(p.kind) OVER (), '') AS next
                   FROM query_pieces(read_query.query) p
    LOOP
        IF piece.kind = '|' THEN
            waits[depth] := groups[depth] <> '';
            CONTINUE;
        ELSIF piece.kind = '(' THEN
            depth := depth + 1;
            sums[depth] := '';
            groups[depth] := '';
            waits[depth] := false;
            signs[depth] := piece.sign;
            fields[depth] := coalesce(piece.field, fields[depth - 1]);
            CONTINUE;
        ELSIF piece.kind = ')' THEN
            made := concat_ws(' & ', nullif(sums[depth], ''), '(' || nullif(groups[depth], '') || ')');
            piece.sign := signs[depth];
            depth := depth - 1;
        ELSE
            made := piece_query(config, piece.kind, coalesce(piece.field, fields[depth]), piece.body,
                                separation);
            IF depth = 1 AND piece.kind IN ('word', 'compound') AND piece.sign = '' AND piece.field IS NULL
                AND NOT waits[1] AND piece.next <> '|'
            THEN
                IF made <> '' THEN
                    free := free || ('(' || made || ')');
                    typed := typed || piece.body;
                END IF;
                must := must || ('(' || nullif(groups[1], '') || ')');
                groups[1] := '';  -- a following OR has no left side
                CONTINUE;
            END IF;
        END IF;
        CONTINUE WHEN made = '';
        made := CASE WHEN piece.sign = '-' THEN '!' ELSE '' END || '(' || made || ')';
        IF waits[depth] THEN
            groups[depth] := groups[depth] || ' | ' || made;
            waits[depth] := false;
        ELSE
            IF depth = 1 AND groups[1] <> '' THEN
                must := must || ('(' || groups[1] || ')');
            ELSIF groups[depth] <> '' THEN
                sums[depth] := concat_ws(' & ', nullif(sums[depth], ''), '(' || groups[depth] || ')');
            END IF;
            groups[depth] := made;
        END IF;
    END LOOP;
    must := must || ('(' || nullif(groups[1], '') || ')');
    required := array_to_string(must, ' & ')::tsquery;  -- array_to_string skips NULLs
    plain := array_to_string(free, ' & ')::tsquery;
    SELECT array_agg(DISTINCT w.lexeme) INTO words
      FROM unnest(typed) t,
           unnest(tsvector_to_array(to_tsvector(config, required_words(config, t, separation)))) w (lexeme);
END
$$;
COMMENT ON FUNCTION read_query(text) IS
'Parse a typed query into its required conditions, its plain words and their lexemes';
