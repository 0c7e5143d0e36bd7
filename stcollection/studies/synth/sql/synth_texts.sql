-- synth_texts: texts of documents of a study to fill into prompts and to make queries from, by place.
CREATE OR REPLACE FUNCTION synth_texts(study integer, docs bigint[])
RETURNS TABLE (doc bigint, docno text, title text, abstract text, passage text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT d.id, d.docno, t.title, t.abstract, synth_passage(s.field, t.title, t.abstract)
      FROM synth_passages p
      JOIN synth_studies s ON s.id = p.study
      JOIN dblp d ON d.id = p.doc
      LEFT JOIN dblp_text t ON t.id = p.doc
     WHERE p.study = synth_texts.study AND p.doc = ANY (synth_texts.docs)
     ORDER BY p.place
$$;
COMMENT ON FUNCTION synth_texts(integer, bigint[]) IS 'Texts of documents of a study, by place';
