-- answer_stage: create the empty temporary tables for the lines of one file of answer verification.
--
--   answer_lines      pairs and relations; says is the label or relation as written
--   answer_names      gold: one row per doc_id (says), NULL for an empty list; templates: one row per query
--   answer_papers     documents; doc_id is NULL for a query without documents
--   answer_faults     lines with errors, as in answer_rejects
--
-- unescaped contains the fields (in answer_names: the query) with \t, \n, \r and \\ interpreted as escapes; NULL for
-- fields without escapes, and NULL as a whole if no field has any.
CREATE OR REPLACE FUNCTION answer_stage() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.answer_lines, pg_temp.answer_names, pg_temp.answer_papers, pg_temp.answer_faults;
    CREATE TEMP TABLE answer_lines (
        line bigint NOT NULL, query text COLLATE "C" NOT NULL, url1 text COLLATE "C" NOT NULL,
        text1 text COLLATE "C" NOT NULL,
        url2 text COLLATE "C" NOT NULL, text2 text COLLATE "C" NOT NULL, says text COLLATE "C" NOT NULL,
        unescaped text [] COLLATE "C");
    CREATE TEMP TABLE answer_names (
        line bigint NOT NULL, query text COLLATE "C" NOT NULL, says text COLLATE "C", unescaped text COLLATE "C");
    CREATE TEMP TABLE answer_papers (
        line bigint NOT NULL, query text COLLATE "C" NOT NULL, place integer NOT NULL, doc_id text COLLATE "C",
        url text COLLATE "C", title text, text text);
    CREATE TEMP TABLE answer_faults (line bigint NOT NULL, problem text NOT NULL, reason text NOT NULL);
END
$$;
COMMENT ON FUNCTION answer_stage() IS
    'Creates the empty temporary tables for the lines of one file of answer verification';
