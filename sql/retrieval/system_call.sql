-- system_call: how to call the function of a user's system, and whether the current role may run it. No code of the
-- function is executed.
--
-- function: a name with types of arguments, such as public.my_search(text,integer): query and number of documents.
-- Further arguments are named and optional: one of type vector gets the vector of the query, one of type jsonb the
-- filter, and one of type text with the name model the model; others must have defaults. It returns rows with doc and
-- score.
--
-- Or the stages of a system that has several (pipeline_stages), which has no routine. fusion: the rankers and weights
-- of a system of add_fusion, whose function is fused_search. system: its name.
--
-- call: as in product_systems. vector, filter: it has such an argument. fault: NULL, or why it cannot be run, with hint
-- and state (SQLSTATE). A function runs with the rights of the caller, so it must belong to a role whose code the
-- caller may run (trusted_author), in a schema where only such roles create functions, and must not be SECURITY
-- DEFINER. The rankers of a fusion must exist, and a system must not use itself (system_cycle). This is checked at each
-- call, because functions and systems are replaced, dropped, and restored from dumps.
CREATE OR REPLACE FUNCTION system_call(
    function text, fusion jsonb, system text, OUT routine oid, OUT call text, OUT vector boolean, OUT filter boolean,
    OUT fault text, OUT hint text, OUT state text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    known pg_proc;
    home pg_namespace;
    names text[];     -- of its arguments
    named text;
    given text := '';  -- further arguments in the call
    place integer;
    cycle CONSTANT text := system_cycle(system_call.system, system_call.function, system_call.fusion);
BEGIN
    state := 'IR202';
    vector := false;
    filter := false;
    IF cycle IS NOT NULL THEN
        fault := format('%s uses itself (%s)', system_call.system, cycle);
        hint := 'Replace one of these systems by one that uses none of them.';
        RETURN;
    END IF;
    IF system_call.function LIKE '%>>%' THEN
        BEGIN
            SELECT bool_or(p.model IS NULL AND (p.field IS NOT NULL OR EXISTS (
                       SELECT FROM systems s WHERE s.system = p.system AND s.vector))) INTO vector
              FROM pipeline_stages(system_call.function) p;
            filter := true;
            call := format('pipeline_search(%L, $1, $2, $3, $4, $5)', system_call.function);
        EXCEPTION WHEN SQLSTATE 'IR105' OR SQLSTATE 'IR107' OR SQLSTATE 'IR201' OR SQLSTATE 'IR202'
                    OR SQLSTATE 'IR410' THEN
            GET STACKED DIAGNOSTICS fault = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, state = RETURNED_SQLSTATE;
        END;
        RETURN;
    END IF;
    BEGIN
        routine := coalesce(CASE WHEN split_part(system_call.function, '(', 1) NOT LIKE '%.%'
                                 THEN to_regprocedure(quote_ident(current_user) || '.' || system_call.function) END,
                            to_regprocedure(system_call.function));
    EXCEPTION  -- one row that cannot be read would hide all systems
        WHEN syntax_error OR feature_not_supported THEN NULL;
        WHEN insufficient_privilege THEN
            state := 'IR410';
            fault := format('%s may not use the schema of the function %s', current_user,
                            left(system_call.function, 200));
            hint := 'Ask its owner for the privileges USAGE on the schema and EXECUTE on the function.';
            RETURN;
    END;
    SELECT * INTO known FROM pg_proc p WHERE p.oid = routine;
    IF NOT FOUND THEN
        state := 'IR107';
        fault := format('the function %s does not exist', left(system_call.function, 200));
        hint := 'Name its schema and the types of its arguments: my_schema.my_search(text, integer).';
        RETURN;
    END IF;
    SELECT * INTO home FROM pg_namespace n WHERE n.oid = known.pronamespace;
    IF home.nspname ~ '^pg_temp' THEN
        fault := format('the function %s is temporary', routine::regprocedure);
        hint := 'Use a schema, such as the one with your name.';
    ELSIF NOT (trusted_author(known.proowner) AND trusted_author(home.nspowner)) THEN
        state := 'IR410';
        fault := format('the function %s or its schema belongs to %s, and would run with the rights of %s',
                        routine::regprocedure, (SELECT r.rolname FROM pg_roles r WHERE r.oid =
                            CASE WHEN trusted_author(known.proowner) THEN home.nspowner ELSE known.proowner END),
                        current_user);
        hint := 'Read its code, and make your own function of it.';
    ELSIF EXISTS (SELECT FROM aclexplode(home.nspacl) a
                   WHERE a.privilege_type = 'CREATE' AND NOT trusted_author(a.grantee))
    THEN
        state := 'IR410';
        fault := format('others may create functions in the schema %I, which would run with the rights of %s',
                        home.nspname, current_user);
        hint := format('Withdraw the privilege on the schema %I from them, or use another schema.', home.nspname);
    ELSIF known.prosecdef THEN
        state := 'IR410';
        fault := format('the function %s is a security definer: it would run with the rights of its owner',
                        routine::regprocedure);
        hint := 'Make it SECURITY INVOKER, the default.';
    ELSIF NOT (has_schema_privilege(home.oid, 'USAGE') AND has_function_privilege(routine, 'EXECUTE')) THEN
        state := 'IR410';
        fault := format('%s may not execute the function %s', current_user, routine::regprocedure);
        hint := format('Ask its owner for the privileges USAGE on the schema %I and EXECUTE on the function.',
                       home.nspname);
    ELSIF known.prokind <> 'f' OR NOT known.proretset OR known.provariadic <> 0 OR known.pronargs < 2
        OR known.proargtypes[0] <> 'text'::regtype OR known.proargtypes[1] <> 'integer'::regtype
    THEN
        fault := format('the function %s does not take a query and a number of documents, or does not return rows',
                        routine::regprocedure);
        hint := 'It must begin as: my_search(query text, k integer) RETURNS TABLE (doc bigint, score float).';
    ELSIF (SELECT count(*) FROM (
               SELECT a.name, a.type
                 FROM unnest(known.proallargtypes, known.proargmodes, known.proargnames) a (type, mode, name)
                WHERE a.mode IN ('t', 'o', 'b')
                UNION ALL
               SELECT c.attname, c.atttypid FROM pg_type t JOIN pg_attribute c ON c.attrelid = t.typrelid
                WHERE t.oid = known.prorettype AND c.attnum > 0 AND NOT c.attisdropped) r
            WHERE r.name = 'doc' AND r.type IN ('bigint'::regtype, 'integer'::regtype)
               OR r.name = 'score'
                  AND r.type IN ('double precision'::regtype, 'real'::regtype, 'numeric'::regtype)) <> 2
    THEN
        fault := format('the function %s does not return the columns doc and score', routine::regprocedure);
        hint := 'doc is dblp.id, a bigint; score is a double precision, higher for better documents.';
    END IF;
    IF fault IS NOT NULL THEN
        RETURN;
    END IF;
    names := ARRAY(SELECT a.name FROM unnest(known.proargnames, known.proargmodes) WITH ORDINALITY a (name, mode, i)
                    WHERE coalesce(a.mode, 'i') IN ('i', 'b') ORDER BY a.i);
    FOR i IN 2..known.pronargs - 1 LOOP
        named := nullif(names[i + 1], '');
        place := CASE WHEN named IS NULL THEN NULL
                      WHEN known.proargtypes[i] = 'vector'::regtype AND NOT vector THEN 3
                      WHEN known.proargtypes[i] = 'jsonb'::regtype AND NOT filter THEN 4
                      WHEN known.proargtypes[i] = 'text'::regtype AND named = 'model' THEN 5 END;
        IF place IS NOT NULL THEN
            given := given || format(', %I => $%s', named, place);
            vector := vector OR place = 3;
            filter := filter OR place = 4;
        ELSIF i < known.pronargs - known.pronargdefaults THEN
            fault := format('the argument %s of the function %s has no meaning for a search, and no default', i + 1,
                            routine::regprocedure);
            hint := 'Name the arguments. After query and k, a vector, a jsonb (the filter) and a text named model are '
                    'passed; others need a default.';
            RETURN;
        END IF;
    END LOOP;
    IF routine = 'fused_search(text, integer, vector, jsonb, text, text)'::regprocedure
        AND jsonb_typeof(system_call.fusion -> 'weights') = 'object'
    THEN
        vector := coalesce(system_call.fusion -> 'vector' <> 'false', true);
        given := format('%s, system => %L', given, system_call.system);
        SELECT format('there is no ranker %s', shown_name(r.name)) INTO fault
          FROM (SELECT split_part(jsonb_object_keys(system_call.fusion -> 'weights'), ':', 1) AS name) r
         WHERE r.name <> ALL (hybrid_rankers())
           AND NOT EXISTS (SELECT FROM own_systems o
                            WHERE o.system = r.name AND (o.maker IS NULL OR o.maker = current_user)) LIMIT 1;
        state := CASE WHEN fault IS NULL THEN 'IR202' ELSE 'IR107' END;
        hint := 'Add a system with this name, or tune other runs: ''stc fuse --tune RUN... --system NAME''.';
    END IF;
    call := format('%I.%I($1, $2%s)', home.nspname, known.proname, given);
END
$$;
COMMENT ON FUNCTION system_call(text, jsonb, text) IS
'How to call the function of a user''s system, and why the current role may not run it';
