-- read_query: a typed query, read by the text search configuration of the text index:
--
--   required   what must and must not be: phrases, +must, -mustnot, OR, prefixes, fields; empty for nothing
--   plain      the words that no operator touches, all of them
--   words      the lexemes of plain, each once: what minimum-should-match counts; NULL for none
--
-- OR binds tighter than the blank: a b OR c d is a (b OR c) d. Grammar: docs/queries.md. Anything is a query: nothing
-- raises.
CREATE OR REPLACE FUNCTION read_query(query text, OUT required tsquery, OUT plain tsquery, OUT words text[])
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
SET client_min_messages = warning  -- "contains only stop words" is nothing to tell
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    piece record;
    made text;
    must text[] := '{}';      -- conjunctions, as text of tsqueries
    free text[] := '{}';
    typed text[] := '{}';     -- the text of free
    -- What is being read, one entry an open parenthesis: its conjunction; the OR group at its end, and whether that
    -- waits for a right side; sign and field of the parenthesis.
    sums text[] := ARRAY[''];
    groups text[] := ARRAY[''];
    waits boolean[] := ARRAY[false];
    signs text[] := ARRAY[''];
    fields text[] := ARRAY[NULL::text];
    depth integer := 1;
BEGIN
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
            made := piece_query(config, piece.kind, coalesce(piece.field, fields[depth]), piece.body);
            IF depth = 1 AND piece.kind IN ('word', 'compound') AND piece.sign = '' AND piece.field IS NULL
                AND NOT waits[1] AND piece.next <> '|'
            THEN
                IF made <> '' THEN
                    free := free || ('(' || made || ')');
                    typed := typed || piece.body;
                END IF;
                must := must || ('(' || nullif(groups[1], '') || ')');
                groups[1] := '';  -- an OR that might follow has nothing on its left
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
    required := array_to_string(must, ' & ')::tsquery;  -- which leaves NULLs out
    plain := array_to_string(free, ' & ')::tsquery;
    SELECT array_agg(DISTINCT w.lexeme) INTO words
      FROM unnest(typed) t, unnest(tsvector_to_array(to_tsvector(config, t))) w (lexeme);
END
$$;
COMMENT ON FUNCTION read_query(text) IS 'A typed query: what is required, the plain words, and their lexemes';
