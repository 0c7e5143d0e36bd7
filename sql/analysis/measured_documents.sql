-- measured_documents: what each document is measured by, one row a document: year, venue and type, its credibility by citations,
-- references and their percentile, its readability by 20 measures. NULL where it is not said, or was not computed yet.
--
-- A statement that reads a few columns costs what those cost: the joins are on keys, and the planner leaves out the others.
CREATE OR REPLACE VIEW measured_documents WITH (security_invoker = true) AS
SELECT f.id, f.year, f.venue, f.doc_type, m.nltk_sent, m.nltk_tok, m.cmu_tok, m.cmu_syl, m.cmu_wrd_per_sent, m.cmu_syl_per_wrd,
       m.cmu_fkgl, m.read_sent, m.read_tok, m.read_syl, m.read_char, m.read_wordtypes, m.read_long_words, m.read_complex_words,
       m.read_char_per_wrd, m.read_wrd_per_sent, m.read_syl_per_wrd, m.read_type_token_ratio, m.textstat_fkgl, m.textstat_fre,
       f.n_citation::double precision AS citations, f.n_reference::double precision AS "references",
       c.percentile AS citation_percentile
  FROM dblp_facts f
  LEFT JOIN st1_complexity_metrics m ON m.id = f.id
  LEFT JOIN citation_ranks c ON c.id = f.id;
COMMENT ON VIEW measured_documents IS 'Readability and credibility of each document beside its year, venue and type';
