-- document_measures: what each document is measured by, one row a document, stubs have none: year, venue and type; its readability by 20
-- measures and two shares; its credibility. NULL where it is not said, or was not computed yet.
--
--   year                 NULL where it is none (plausible_year)
--   readability          as in st1_complexity_metrics; NULL for an abstract without a word, too
--   long_word_share      read_long_words / read_tok: words of 7 characters or more
--   complex_word_share   read_complex_words / read_tok: words of 3 syllables or more
--   citations, references, citations_per_year, age, citation_percentile   as in credibility, which says what they are
--
-- A statement that reads a few columns costs what those cost: the joins are on keys, and the planner leaves out the others.
CREATE OR REPLACE VIEW document_measures WITH (security_invoker = true) AS
SELECT f.id, y.year, f.venue, f.doc_type, m.nltk_sent, m.nltk_tok, m.cmu_tok, m.cmu_syl, m.cmu_wrd_per_sent, m.cmu_syl_per_wrd,
       m.cmu_fkgl, m.read_sent, m.read_tok, m.read_syl, m.read_char, m.read_wordtypes, m.read_long_words, m.read_complex_words,
       m.read_char_per_wrd, m.read_wrd_per_sent, m.read_syl_per_wrd, m.read_type_token_ratio, m.textstat_fkgl, m.textstat_fre,
       m.read_long_words / m.read_tok AS long_word_share, m.read_complex_words / m.read_tok AS complex_word_share,
       f.n_citation::double precision AS citations, f.n_reference::double precision AS "references",
       f.n_citation / (y.age + 1)::double precision AS citations_per_year, c.percentile AS citation_percentile,
       y.age::double precision AS age
  FROM dblp_facts f
  LEFT JOIN st1_complexity_metrics m ON m.id = f.id AND m.read_tok > 0
  LEFT JOIN citation_ranks c ON c.id = f.id
 CROSS JOIN LATERAL (
       SELECT plausible_year(f.year) AS year,
              CASE WHEN plausible_year(f.year) IS NOT NULL THEN greatest((SELECT credibility_as_of()) - f.year, 0) END AS age) y;
COMMENT ON VIEW document_measures IS 'Each document beside its year, venue and type: readability, credibility, a column a measure';
