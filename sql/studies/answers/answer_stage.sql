-- answer_stage: makes the temporary tables that the lines of one file of answer verification wait in, empty.
--
--   answer_lines      pairs and relations; says is the label or the relation, as written
--   answer_names      gold, a row each doc_id (says), NULL for an empty list; templates, a row each query
--   answer_papers     documents; doc_id NULL is a query without any
--   answer_faults     lines with something wrong, as answer_rejects has them
--
-- unescaped holds the fields (of answer_names: the query) with \t, \n, \r and \\ read as escapes; NULL for those
-- without any, and as a whole where no field has one.
CREATE OR REPLACE FUNCTION answer_stage() RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET client_min_messages = warning AS $$
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
'Makes the temporary tables in which the lines of one file of answer verification wait, empty';
