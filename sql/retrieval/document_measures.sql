-- document_measures: what a document can be combined with relevance by, a column a measure (combine_measures): the 20 measures of
-- readability and two shares, citations and what follows from them. One row a document; stubs have none.
--
--   readability          as in st1_complexity_metrics; NULL for an abstract without a word, too
--   long_word_share      read_long_words / read_tok: words of 7 characters or more
--   complex_word_share   read_complex_words / read_tok: words of 3 syllables or more
--   citation_percentile  citation_ranks.percentile, 0 to 100
--   year                 NULL where it is none: before 1000, or beyond next year
--   age                  years up to credibility_basis.as_of, else up to the newest document's; 0 for what is newer
--   citations_per_year   citations / (age + 1)
--
-- What a query does not name is not looked up.
CREATE OR REPLACE VIEW document_measures WITH (security_invoker = true) AS
SELECT f.id AS doc, m.nltk_sent, m.nltk_tok, m.cmu_tok, m.cmu_syl, m.cmu_wrd_per_sent, m.cmu_syl_per_wrd, m.cmu_fkgl, m.read_sent,
       m.read_tok, m.read_syl, m.read_char, m.read_wordtypes, m.read_long_words, m.read_complex_words, m.read_char_per_wrd,
       m.read_wrd_per_sent, m.read_syl_per_wrd, m.read_type_token_ratio, m.textstat_fkgl, m.textstat_fre,
       m.read_long_words / m.read_tok AS long_word_share, m.read_complex_words / m.read_tok AS complex_word_share,
       c.percentile AS citation_percentile, f.n_citation::double precision AS citations,
       f.n_citation / (y.age + 1)::double precision AS citations_per_year, f.n_reference::double precision AS "references",
       y.age::double precision AS age, y.year::double precision AS year
  FROM dblp_facts f
  LEFT JOIN st1_complexity_metrics m ON m.id = f.id AND m.read_tok > 0
  LEFT JOIN citation_ranks c ON c.id = f.id
 CROSS JOIN LATERAL (
       SELECT CASE WHEN f.year BETWEEN 1000 AND extract(YEAR FROM now()) + 1 THEN f.year END AS year,
              CASE WHEN f.year BETWEEN 1000 AND extract(YEAR FROM now()) + 1
                   THEN greatest(coalesce((SELECT b.as_of FROM credibility_basis b),
                                          (SELECT max(n.year) FROM dblp_facts n
                                            WHERE n.year BETWEEN 1000 AND extract(YEAR FROM now()) + 1)) - f.year, 0) END AS age) y;
COMMENT ON VIEW document_measures IS
'Readability and credibility of each document, a column a measure: what relevance can be combined with';
