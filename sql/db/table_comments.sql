-- table_comments: the comments of all tables and columns. Each stage has a function with those of its tables, and each
-- study has one named STUDY_comments.
--
-- They are here and not in the migrations, so that existing collections get a better text with the next upgrade. If a
-- migration adds a table or column, add its comment to the function of its stage.
CREATE OR REPLACE FUNCTION table_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    of_study text;
BEGIN
    RETURN QUERY
    SELECT * FROM build_comments()
     UNION ALL SELECT * FROM complexity_comments()
     UNION ALL SELECT * FROM corpus_comments()
     UNION ALL SELECT * FROM db_comments()
     UNION ALL SELECT * FROM evaluation_comments()
     UNION ALL SELECT * FROM qrels_comments()
     UNION ALL SELECT * FROM retrieval_comments()
     UNION ALL SELECT * FROM runs_comments()
     UNION ALL SELECT * FROM text_comments()
     UNION ALL SELECT * FROM topics_comments()
     UNION ALL SELECT * FROM vectors_comments();
    FOR of_study IN
        SELECT format('SELECT * FROM stc.%I()', s.study || '_comments') FROM studies s
         WHERE to_regprocedure(format('stc.%I()', s.study || '_comments')) IS NOT NULL ORDER BY s.study
    LOOP
        RETURN QUERY EXECUTE of_study;
    END LOOP;
END
$$;
COMMENT ON FUNCTION table_comments() IS 'Comments of all tables and columns; attribute NULL is the table itself';
