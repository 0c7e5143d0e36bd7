-- complexity_comments: the comments of the tables for readability, credibility and annotations, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION complexity_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('st1_complexity_metrics', NULL, 'Readability of the abstracts by NLTK with CMUdict, readability and textstat'),
    ('st1_complexity_metrics', 'id', 'document: dblp.id'),
    ('st1_complexity_metrics', 'resources', 'libraries and data files used: complexity_resources.id'),
    ('st1_complexity_metrics', 'nltk_sent', 'number of sentences: NLTK 3.10''s Punkt'),
    ('st1_complexity_metrics', 'nltk_tok',
     'number of tokens including punctuation: words, numbers and marks of NLTK 3.10''s word_tokenize'),
    ('st1_complexity_metrics', 'cmu_tok', 'number of tokens in CMUdict: NLTK 3.10''s tokens in lower case'),
    ('st1_complexity_metrics', 'cmu_syl',
     'number of syllables of the tokens in CMUdict: vowels of the first pronunciation of each'),
    ('st1_complexity_metrics', 'cmu_wrd_per_sent', 'cmu_tok / nltk_sent, words per sentence: NLTK 3.10 and CMUdict'),
    ('st1_complexity_metrics', 'cmu_syl_per_wrd', 'cmu_syl / cmu_tok, syllables per word: NLTK 3.10 and CMUdict'),
    ('st1_complexity_metrics', 'cmu_fkgl',
     'Flesch-Kincaid grade level, years of US school: .39 cmu_wrd_per_sent + 11.8 cmu_syl_per_wrd - 15.59'),
    ('st1_complexity_metrics', 'read_sent',
     'number of sentences: readability 0.3, given NLTK''s sentences one per line'),
    ('st1_complexity_metrics', 'read_tok',
     'number of words: readability 0.3; words are NLTK''s tokens except those of only punctuation'),
    ('st1_complexity_metrics', 'read_syl',
     'number of syllables of the words: readability 0.3''s rules, without a dictionary'),
    ('st1_complexity_metrics', 'read_char', 'number of characters of the words: readability 0.3'),
    ('st1_complexity_metrics', 'read_wordtypes', 'number of distinct words, case-sensitive: readability 0.3'),
    ('st1_complexity_metrics', 'read_long_words', 'number of words of 7 characters or more: readability 0.3'),
    ('st1_complexity_metrics', 'read_complex_words',
     'number of words of 3 syllables or more, not capitalised, not all digits: readability 0.3'),
    ('st1_complexity_metrics', 'read_char_per_wrd', 'read_char / read_tok, characters per word: readability 0.3'),
    ('st1_complexity_metrics', 'read_wrd_per_sent', 'read_tok / read_sent, words per sentence: readability 0.3'),
    ('st1_complexity_metrics', 'read_syl_per_wrd', 'read_syl / read_tok, syllables per word: readability 0.3'),
    ('st1_complexity_metrics', 'read_type_token_ratio', 'read_wordtypes / read_tok, from 0 to 1: readability 0.3'),
    ('st1_complexity_metrics', 'textstat_fkgl',
     'Flesch-Kincaid grade level, years of US school: textstat 0.7.13, its own sentences; 0 without words'),
    ('st1_complexity_metrics', 'textstat_fre',
     'Flesch reading ease, about 0 (hard) to 100 (easy): textstat 0.7.13; 0 without words'),

    ('complexity_resources', NULL, 'Libraries and data files that readability was computed with'),
    ('complexity_resources', 'id', 'number of the combination'),
    ('complexity_resources', 'versions', 'versions of Python, its Unicode tables and each library'),
    ('complexity_resources', 'files', 'SHA-256 of CMUdict, of Punkt''s parameters and of the hyphenation patterns'),
    ('complexity_resources', 'fingerprint', 'SHA-256 of versions and files; equal fingerprints give equal values'),
    ('complexity_resources', 'first_used', 'when the combination was first used'),

    ('citation_ranks', NULL, 'Derived: citation percentiles of the documents; rank_citations recomputes them'),
    ('citation_ranks', 'id', 'document: dblp.id'),
    ('citation_ranks', 'by_year', 'percentile of n_citation among documents of the same year, from 0 to 100'),
    ('citation_ranks', 'by_field',
     'mean percentile of n_citation among documents of the same year and field; NULL: too few documents'),
    ('citation_ranks', 'percentile', 'by_field, or by_year where by_field is NULL; used by filters'),
    ('citation_ranks', 'fields', 'number of fields of study averaged in by_field'),

    ('credibility_basis', NULL, 'Parameters citation_ranks was computed with, at most one row'),
    ('credibility_basis', 'single', 'always true; allows one row only'),
    ('credibility_basis', 'as_of', 'year that ages of documents are counted to'),
    ('credibility_basis', 'least', 'minimum number of documents of a field in a year for a comparison within it'),
    ('credibility_basis', 'documents', 'number of documents ranked'),
    ('credibility_basis', 'ranked', 'when citation_ranks was computed'),

    ('annotators', NULL, 'People who graded documents, and their groups'),
    ('annotators', 'annotator', 'name of the person'),
    ('annotators', 'annotator_group', 'group of people, as Humanities bachelor, CS bachelor or CS master'),
    ('annotators', 'simulated', 'true: the person is invented, as in the demo'),

    ('annotations', NULL, 'Grades that people gave documents for complexity and credibility, one row per grade'),
    ('annotations', 'doc', 'document: dblp.id'),
    ('annotations', 'aspect', 'graded aspect: complexity or credibility'),
    ('annotations', 'annotator', 'annotator: annotators.annotator'),
    ('annotations', 'grade', '0, 1 or 2: how complex the text is, or how credible the document is'),
    ('annotations', 'source', 'path of the imported file'),
    ('annotations', 'annotated', 'when the grade was stored')
$$;
COMMENT ON FUNCTION complexity_comments() IS
'Comments of the tables for readability, credibility and annotations, and of their columns';
