-- cut_passages: the passages of an abstract. cut: the recorded way (begin_passages), as {sentence} or {window,64,32}.
--
-- Written so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION cut_passages(abstract text, cut text[])
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE cut[1] WHEN 'sentence' THEN passage_sentences(abstract)
                   ELSE passage_windows(abstract, cut[2]::integer, cut[3]::integer) END;
COMMENT ON FUNCTION cut_passages(text, text[]) IS 'Passages of an abstract, cut in a recorded way';
