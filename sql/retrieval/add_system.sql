-- add_system: add a retrieval system: a function that takes a query and a number of documents, and returns rows with
-- doc and score. system_call describes its arguments.
--
--   SELECT add_system('mine', 'my_search(text, integer)');
--   SELECT add_system('mine', 'my_search(text, integer, jsonb)', 'BM25 of titles');
--   SELECT add_system('staged', 'bm25 1000 >> dense 100 >> cross-encoder:cross-encoder/ms-marco-MiniLM-L6-v2 50');
--
-- The last one has stages, each of which orders documents of the one before (pipeline_stages).
--
-- Then it is used like the systems of the product, also as a ranker of hybrid_search. A run has the definition of the
-- function in params.
--
-- Organisers and owners add it for everybody, participants for themselves (put_policies). The function runs with the
-- rights of whoever searches. Adding a name again replaces it. stc.drop_system removes it. fusion: for add_fusion.
-- Raises IR107 no such function, stage or ranker, IR202 a name that cannot be used, another signature, or a system that
-- uses itself, IR410 a role that adds no systems, or a function that this role may not run (system_call).
CREATE OR REPLACE FUNCTION public.add_system(
    system text, function text, title text DEFAULT NULL, fusion jsonb DEFAULT NULL
)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    known CONSTANT record := system_call(add_system.function, add_system.fusion, add_system.system);
    shared CONSTANT boolean := has_table_privilege('own_systems', 'DELETE');
BEGIN
    IF NOT has_table_privilege('own_systems', 'INSERT') AND NOT has_any_column_privilege('own_systems', 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not add systems', current_user),
            HINT = 'Connect as an organiser or a participant.';
    ELSIF coalesce(add_system.system !~ '^[A-Za-z][A-Za-z0-9_.-]{0,39}$', true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the name of a system cannot be %s', coalesce(quote_literal(left(system, 80)), 'NULL')),
            HINT = 'Use at most 40 letters, digits, hyphens, underscores and points. Start with a letter.';
    ELSIF add_system.system ~ '^(dense|rocchio|hybrid)(-|$)' OR add_system.system IN ('title', 'abstract', 'content',
                                                                                      'document')
        OR EXISTS (SELECT FROM product_systems() b WHERE b.system = add_system.system)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the name %s is taken by a system or ranker of the product', add_system.system),
            HINT = 'Choose another name.';
    ELSIF NOT is_name(title) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s cannot be a title', shown_name(title)),
            HINT = 'A title has 1 to 200 printable characters and no space at either end.';
    ELSIF known.fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = known.state, MESSAGE = known.fault, HINT = known.hint;
    ELSIF NOT shared AND EXISTS (SELECT FROM own_systems o WHERE o.system = add_system.system AND o.maker IS NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('organisers have added a system %s for everybody', add_system.system),
            HINT = 'Choose another name.';
    END IF;
    PERFORM drop_system(add_system.system);
    INSERT INTO own_systems (system, maker, function, title, fusion)
    VALUES (add_system.system, CASE WHEN NOT shared THEN current_user END,
            coalesce((SELECT format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes))
                        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = known.routine),
                     (SELECT string_agg(format('%s %s', s.stage, s.n), ' >> ' ORDER BY s.place)
                        FROM pipeline_stages(add_system.function) s)),
            add_system.title, add_system.fusion);
END
$$;
COMMENT ON FUNCTION public.add_system(text, text, text, jsonb) IS
'Adds a retrieval system: a function (query text, k integer, …) that returns rows with doc and score; organisers add '
'it for everybody';
