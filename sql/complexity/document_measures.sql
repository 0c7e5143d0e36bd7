-- document_measures: the measures of each document, one row per document without stubs: year, venue and type; 20
-- readability measures and two shares; credibility. NULL if the record has no value or it has not been computed.
--
--   year                 NULL if not plausible (plausible_year)
--   readability          as in st1_complexity_metrics; NULL also for an abstract without words
--   long_word_share      read_long_words / read_tok: words of 7 characters or more
--   complex_word_share   read_complex_words / read_tok: words of 3 syllables or more
--   citations, references, citations_per_year, age, citation_percentile   as defined in the view credibility
--
-- A query that reads few columns is cheap: all joins are on keys, and the planner omits those it does not need.
CREATE OR REPLACE VIEW public.document_measures WITH (security_invoker = true) AS
SELECT f.id, f.plausible AS year, f.venue, f.doc_type, m.nltk_sent, m.nltk_tok, m.cmu_tok, m.cmu_syl,
       m.cmu_wrd_per_sent,
       m.cmu_syl_per_wrd,
       m.cmu_fkgl, m.read_sent, m.read_tok, m.read_syl, m.read_char, m.read_wordtypes, m.read_long_words,
       m.read_complex_words,
       m.read_char_per_wrd, m.read_wrd_per_sent, m.read_syl_per_wrd, m.read_type_token_ratio, m.textstat_fkgl,
       m.textstat_fre,
       m.read_long_words / m.read_tok AS long_word_share, m.read_complex_words / m.read_tok AS complex_word_share,
       f.n_citation::double precision AS citations, f.n_reference::double precision AS "references",
       f.n_citation / (f.age + 1)::double precision AS citations_per_year, c.percentile AS citation_percentile,
       f.age::double precision AS age
  FROM (SELECT g.*, plausible_year(g.year) AS plausible,
               CASE WHEN plausible_year(g.year) IS NOT NULL THEN greatest(b.as_of - g.year, 0) END AS age
          FROM dblp_facts g
         CROSS JOIN (SELECT coalesce(max(c.as_of), credibility_as_of()) AS as_of FROM credibility_basis c) b) f
  LEFT JOIN st1_complexity_metrics m ON m.id = f.id AND m.read_tok > 0
  LEFT JOIN citation_ranks c ON c.id = f.id;
COMMENT ON VIEW public.document_measures IS
'Measures of each document, one column each: readability and credibility, with year, venue and type';
COMMENT ON COLUMN public.document_measures.id IS 'dblp.id of the document';
COMMENT ON COLUMN public.document_measures.year IS 'year of publication; NULL if not plausible';
COMMENT ON COLUMN public.document_measures.venue IS 'journal or conference';
COMMENT ON COLUMN public.document_measures.doc_type IS 'kind of publication: Journal, Conference, …';
COMMENT ON COLUMN public.document_measures.nltk_sent IS 'number of sentences: NLTK 3.10''s Punkt';
COMMENT ON COLUMN public.document_measures.nltk_tok IS
'number of tokens including punctuation: words, numbers and marks of NLTK 3.10''s word_tokenize';
COMMENT ON COLUMN public.document_measures.cmu_tok IS
'number of tokens in CMUdict: NLTK 3.10''s tokens in lower case';
COMMENT ON COLUMN public.document_measures.cmu_syl IS
'number of syllables of the tokens in CMUdict: vowels of the first pronunciation of each';
COMMENT ON COLUMN public.document_measures.cmu_wrd_per_sent IS
'cmu_tok / nltk_sent, words per sentence: NLTK 3.10 and CMUdict';
COMMENT ON COLUMN public.document_measures.cmu_syl_per_wrd IS
'cmu_syl / cmu_tok, syllables per word: NLTK 3.10 and CMUdict';
COMMENT ON COLUMN public.document_measures.cmu_fkgl IS
    'Flesch-Kincaid grade level, years of US school: .39 cmu_wrd_per_sent + 11.8 cmu_syl_per_wrd - 15.59';
COMMENT ON COLUMN public.document_measures.read_sent IS
'number of sentences: readability 0.3, given NLTK''s sentences one per line';
COMMENT ON COLUMN public.document_measures.read_tok IS
'number of words: readability 0.3; words are NLTK''s tokens except those of only punctuation';
COMMENT ON COLUMN public.document_measures.read_syl IS
'number of syllables of the words: readability 0.3''s rules, without a dictionary';
COMMENT ON COLUMN public.document_measures.read_char IS 'number of characters of the words: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_wordtypes IS
'number of distinct words, case-sensitive: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_long_words IS
'number of words of 7 characters or more: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_complex_words IS
'number of words of 3 syllables or more, not capitalised, not all digits: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_char_per_wrd IS
'read_char / read_tok, characters per word: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_wrd_per_sent IS
'read_tok / read_sent, words per sentence: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_syl_per_wrd IS
'read_syl / read_tok, syllables per word: readability 0.3';
COMMENT ON COLUMN public.document_measures.read_type_token_ratio IS
'read_wordtypes / read_tok, from 0 to 1: readability 0.3';
COMMENT ON COLUMN public.document_measures.textstat_fkgl IS
    'Flesch-Kincaid grade level, years of US school: textstat 0.7.13, its own sentences; 0 without words';
COMMENT ON COLUMN public.document_measures.textstat_fre IS
    'Flesch reading ease, about 0 (hard) to 100 (easy): textstat 0.7.13; 0 without words';
COMMENT ON COLUMN public.document_measures.long_word_share IS
'read_long_words / read_tok: share of words of 7 characters or more';
COMMENT ON COLUMN public.document_measures.complex_word_share IS
'read_complex_words / read_tok: share of words of 3 syllables or more';
COMMENT ON COLUMN public.document_measures.citations IS
'number of citations received, as in the record; NULL if missing';
COMMENT ON COLUMN public.document_measures."references" IS 'number of references listed; NULL if the record has none';
COMMENT ON COLUMN public.document_measures.citations_per_year IS 'citations / (age + 1)';
COMMENT ON COLUMN public.document_measures.citation_percentile IS
'percentile of its citations within year and fields, 0 to 100';
COMMENT ON COLUMN public.document_measures.age IS 'years since publication; NULL without a plausible year';
