-- measure_formula: the SQL expression of a formula that a user wrote, or the first fault in it with its place.
--
-- A formula is code that others run, so it is read token by token, and the expression is built from a fixed list of
-- words; nothing else can get into it. It has no quotes, no names of tables, and no functions but those below. All
-- numbers are double precision, so 1 / 2 is 0.5. Functions are those of pg_catalog.
--
--   operands    numbers, NULL, {placeholders} of measures.toml, and columns of the documents: u.rank, u.k, …
--   operators   + - * / ^ < <= > >= = <> AND OR NOT IS NULL, brackets, CASE WHEN … THEN … ELSE … END
--   functions   abs ceil exp floor ln sign sqrt trunc power greatest least coalesce nullif
--   aggregates  sum avg min max count, with FILTER (WHERE …), over the documents. With a cutoff they read only those up
--               to it
--
-- scope: ranking, or relevant, gained or subtopics (documents in measures.toml), or gain (the gain of a grade).
-- cutoff: the measure has one. parameters: the names of its parameters, each a placeholder.
-- place: of the fault, from 1. Both fault and place are NULL if the formula is correct.
CREATE OR REPLACE FUNCTION measure_formula(
    formula text, scope text, cutoff boolean, parameters text[],
    OUT expression text, OUT place integer, OUT fault text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    number CONSTANT text := '::pg_catalog.float8';
    plain CONSTANT text[] := '{abs,ceil,exp,floor,ln,sign,sqrt,trunc,power}';
    special CONSTANT text[] := '{greatest,least,coalesce,nullif}';  -- words of SQL
    totals CONSTANT text[] := '{sum,avg,min,max,count}';
    columns CONSTANT text[] := CASE scope WHEN 'relevant' THEN '{u.rank,u.k}' WHEN 'gained' THEN '{u.rank,u.g,u.d}'
                                          WHEN 'subtopics' THEN '{u.rank,u.k,u.size}' WHEN 'gain' THEN '{r.rel}'
                                          ELSE '{}' END;
    known CONSTANT text[] := parameters
        || CASE scope WHEN 'gain' THEN '{grade}'::text[] WHEN 'subtopics' THEN '{S,retrieved}'
                      WHEN 'gained' THEN '{R,N,retrieved,ideal}' ELSE '{R,N,retrieved}' END
        || CASE WHEN scope = 'gain' THEN '{}'::text[] WHEN cutoff THEN '{k}' ELSE '{}' END
        || CASE WHEN scope IN ('gain', 'subtopics') THEN '{}'::text[] WHEN cutoff THEN '{hits}'
                ELSE '{found,judged}' END
        || CASE WHEN scope IN ('relevant', 'gained', 'subtopics') AND parameters <> '{}' THEN '{decay}'::text[]
                ELSE '{}' END;
    rest text := formula;
    parts text[];
    word text;
    written text[] := '{}';
    open text[] := '{}';         -- brackets and CASEs that are open, innermost last
    operand boolean := true;     -- an operand is next, not an operator
    required text;               -- the only word that may be next
    total boolean := false;      -- within an aggregate
    skipped integer := 0;
BEGIN
    IF length(formula) > 2000 THEN
        place := 2001;
        fault := 'longer than 2,000 characters';
        RETURN;
    END IF;
    LOOP
        rest := ltrim(rest, E' \t\r\n');
        place := length(formula) - length(rest) + 1;
        EXIT WHEN coalesce(rest, '') = '';
        parts := regexp_match(rest, '^(?:(\d{1,15}(?:\.\d{0,15})?(?:[eE][-+]?\d{1,3})?|\.\d{1,15})|(\{\w{1,20}\})|'
                                    '([ur]\.\w{1,10})|([A-Za-z]\w{0,20})|(::|<=|>=|<>|[-+*/^<>=(),\[\]]))');
        IF parts IS NULL THEN
            fault := format('%L cannot be used in a formula', left(rest, 1));
            RETURN;
        END IF;
        word := lower(coalesce(parts[4], parts[5]));
        skipped := length(coalesce(parts[1], parts[2], parts[3], parts[4], parts[5]));
        IF required IS NOT NULL AND word IS DISTINCT FROM required THEN
            fault := format('%s is expected here', upper(required));
        ELSIF parts[1] IS NOT NULL OR parts[2] IS NOT NULL OR parts[3] IS NOT NULL THEN
            IF NOT operand THEN
                fault := 'an operator is expected here';
            ELSIF parts[1] IS NOT NULL THEN
                written := written || (parts[1] || number);
            ELSIF parts[2] = '{ranks}' AND scope IN ('ranking', 'relevant', 'gained') AND NOT cutoff
                AND rest ~ '^\{ranks\}\[\d{1,4}\]'
            THEN
                parts := regexp_match(rest, '^(\{ranks\}\[(\d{1,4})\])');
                skipped := length(parts[1]);
                written := written || format('({ranks})[%s]%s', parts[2], number);
            ELSIF parts[2] IS NOT NULL AND btrim(parts[2], '{}') <> ALL (known) THEN
                fault := format('%s is not available; use one of %s', parts[2],
                                (SELECT string_agg('{' || n || '}', ', ') FROM unnest(known) n));
            ELSIF parts[3] IS NOT NULL AND parts[3] <> ALL (columns) THEN
                fault := format('there is no column %s%s', parts[3],
                                '; use one of ' || nullif(array_to_string(columns, ', '), ''));
            ELSIF (parts[3] IS NOT NULL OR parts[2] = '{decay}') AND NOT total AND scope <> 'gain' THEN
                fault := format('%s must be in an aggregate, such as sum(%s)', coalesce(parts[3], parts[2]),
                                coalesce(parts[3], parts[2]));
            ELSE
                written := written || format('(%s)%s', coalesce(parts[2], parts[3]), number);
            END IF;
            operand := false;
        ELSIF word = 'case' AND operand THEN
            open := array_append(open, 'case');
            written := array_append(written, 'CASE');
            required := 'when';
        ELSIF word = 'when' AND (required = 'when' OR NOT operand AND open[cardinality(open)] = 'then') THEN
            open[cardinality(open)] := 'when';
            written := array_append(written, 'WHEN');
            required := NULL;
            operand := true;
        ELSIF word = 'then' AND NOT operand AND open[cardinality(open)] = 'when'
            OR word = 'else' AND NOT operand AND open[cardinality(open)] = 'then'
        THEN
            open[cardinality(open)] := word;
            written := written || upper(word);
            operand := true;
        ELSIF word = 'end' AND NOT operand AND open[cardinality(open)] IN ('then', 'else') THEN
            open := trim_array(open, 1);
            written := array_append(written, 'END');
        ELSIF word = 'null' AND operand THEN
            written := written || ('NULL' || number);
            operand := false;
        ELSIF word = 'not' AND operand OR word IN ('-', '+') AND operand THEN
            written := written || upper(word);
        ELSIF word IN ('and', 'or', '+', '-', '*', '/', '^', '<', '<=', '>', '>=', '=', '<>') AND NOT operand THEN
            written := written || upper(word);
            operand := true;
        ELSIF word = 'is' AND NOT operand AND rest ~* '^is\s+(not\s+)?null\M' THEN
            parts := regexp_match(rest, '^(is\s+(?:not\s+)?null)\M', 'i');
            skipped := length(parts[1]);
            written := array_append(written, CASE WHEN parts[1] ~* 'not' THEN 'IS NOT NULL' ELSE 'IS NULL' END);
        ELSIF word = '::' AND NOT operand AND rest ~* '^::\s*float8?\M' THEN
            skipped := length((regexp_match(rest, '^(::\s*float8?)\M', 'i'))[1]);  -- all numbers have this type
        ELSIF word = '(' AND operand THEN
            open := array_append(open, 'bracket');
            written := array_append(written, '(');
        ELSIF word = ANY (plain || special || totals) AND operand THEN
            IF rest !~ '^\w+\s*\(' THEN
                fault := format('a bracket is expected after %s', word);
            ELSIF word = ANY (totals) AND (total OR columns = '{}' OR scope = 'gain') THEN
                fault := CASE WHEN total THEN format('%s is within another aggregate', word)
                              ELSE format('%s needs documents: relevant, gained or subtopics', word) END;
            ELSIF word = ANY (totals) THEN
                total := true;
                open := array_append(open, 'total');
                written := written || ('(pg_catalog.' || word || '(');
                skipped := length((regexp_match(rest, '^(\w+\s*\()'))[1]);
                IF word = 'count' AND substr(rest, skipped + 1) ~ '^\s*\*' THEN
                    skipped := skipped + length((regexp_match(substr(rest, skipped + 1), '^(\s*\*)'))[1]);
                    written := array_append(written, '*');
                    operand := false;
                    required := ')';
                END IF;
            ELSE
                open := array_append(open, 'call');
                skipped := length((regexp_match(rest, '^(\w+\s*\()'))[1]);
                written := written || (CASE WHEN word = ANY (plain) THEN 'pg_catalog.' ELSE '' END || word || '(');
            END IF;
        ELSIF word = ',' AND NOT operand AND open[cardinality(open)] = 'call' THEN
            written := array_append(written, ',');
            operand := true;
        ELSIF word = ')' AND NOT operand AND open[cardinality(open)] IN ('bracket', 'call', 'total', 'filter') THEN
            required := NULL;
            CASE open[cardinality(open)]
                WHEN 'total' THEN
                    parts := regexp_match(rest, '^(\)\s*filter\s*\(\s*where)\M', 'i');
                    IF parts IS NULL THEN
                        total := false;
                        written := array_append(written, CASE WHEN cutoff THEN ') FILTER (WHERE u.rank <= {k}))'
                                                              ELSE '))' END || number);
                    ELSE
                        skipped := length(parts[1]);
                        open := array_append(open, 'filter');
                        written := array_append(written, CASE WHEN cutoff THEN ') FILTER (WHERE u.rank <= {k} AND ('
                                                              ELSE ') FILTER (WHERE (' END);
                        operand := true;
                    END IF;
                WHEN 'filter' THEN
                    total := false;
                    open := trim_array(open, 1);
                    written := written || (')))' || number);
                ELSE written := array_append(written, ')');
            END CASE;
            IF NOT operand THEN
                open := trim_array(open, 1);
            END IF;
        ELSIF parts[4] IS NOT NULL AND word <> ALL ('{case,when,then,else,end,null,not,and,or,is}') THEN
            fault := format('%s cannot be used in a formula', parts[4]);
        ELSE
            fault := format('%s is not possible here: %s is expected', upper(word),
                            CASE WHEN operand THEN 'a number, a placeholder or a function' ELSE 'an operator' END);
        END IF;
        IF fault IS NOT NULL THEN
            RETURN;
        END IF;
        rest := substr(rest, skipped + 1);
        IF cardinality(open) > 50 THEN
            fault := 'more than 50 brackets are open';
            RETURN;
        END IF;
    END LOOP;
    IF operand OR required IS NOT NULL OR open <> '{}' THEN
        fault := 'the formula ends too early: ' || CASE
            WHEN operand THEN 'a number, a placeholder or a function' WHEN open[cardinality(open)] = 'when' THEN 'THEN'
            WHEN open[cardinality(open)] IN ('then', 'else') THEN 'END' ELSE 'a closing bracket' END || ' is missing';
        RETURN;
    END IF;
    place := NULL;
    expression := array_to_string(written, ' ');
END
$$;
COMMENT ON FUNCTION measure_formula(text, text, boolean, text[]) IS
    'The SQL expression of a formula that a user wrote, or the first fault in it with its place';
