-- st1_complexity_metrics: readability of the abstracts under the names with which it was published. The table
-- stc.st1_complexity_metrics has the same rows.
--
-- NLTK and Readability both published sent and tok. Here these are Readability's, as all names without a prefix are:
-- wrd_per_sent is tok / sent. NLTK's are nltk_sent and nltk_tok. Each name without a prefix is also there with read_.
-- Rows can be inserted, updated and deleted.
CREATE OR REPLACE VIEW public.st1_complexity_metrics WITH (security_invoker = true) AS
SELECT m.id, m.nltk_sent, m.nltk_tok, m.cmu_tok, m.cmu_syl, m.cmu_wrd_per_sent, m.cmu_syl_per_wrd, m.cmu_fkgl,
       m.read_sent AS sent, m.read_tok AS tok, m.read_syl AS syl, m.read_char, m.read_wordtypes AS wordtypes,
       m.read_long_words AS long_words, m.read_complex_words AS complex_words, m.read_char_per_wrd AS char_per_wrd,
       m.read_wrd_per_sent AS wrd_per_sent, m.read_syl_per_wrd AS syl_per_wrd,
       m.read_type_token_ratio AS type_token_ratio, m.textstat_fkgl, m.textstat_fre, m.resources, m.read_sent,
       m.read_tok, m.read_syl, m.read_wordtypes, m.read_long_words, m.read_complex_words, m.read_char_per_wrd,
       m.read_wrd_per_sent, m.read_syl_per_wrd, m.read_type_token_ratio
  FROM stc.st1_complexity_metrics m;
COMMENT ON VIEW public.st1_complexity_metrics IS
    'Readability of the abstracts by NLTK with CMUdict, readability and textstat, with the published names';
COMMENT ON COLUMN public.st1_complexity_metrics.id IS 'document: dblp.id';
COMMENT ON COLUMN public.st1_complexity_metrics.nltk_sent IS 'number of sentences: NLTK 3.10''s Punkt';
COMMENT ON COLUMN public.st1_complexity_metrics.nltk_tok IS
    'number of tokens including punctuation: words, numbers and marks of NLTK 3.10''s word_tokenize';
COMMENT ON COLUMN public.st1_complexity_metrics.cmu_tok IS
    'number of tokens in CMUdict: NLTK 3.10''s tokens in lower case';
COMMENT ON COLUMN public.st1_complexity_metrics.cmu_syl IS
    'number of syllables of the tokens in CMUdict: vowels of the first pronunciation of each';
COMMENT ON COLUMN public.st1_complexity_metrics.cmu_wrd_per_sent IS
    'cmu_tok / nltk_sent, words per sentence: NLTK 3.10 and CMUdict';
COMMENT ON COLUMN public.st1_complexity_metrics.cmu_syl_per_wrd IS
    'cmu_syl / cmu_tok, syllables per word: NLTK 3.10 and CMUdict';
COMMENT ON COLUMN public.st1_complexity_metrics.cmu_fkgl IS
    'Flesch-Kincaid grade level, years of US school: .39 cmu_wrd_per_sent + 11.8 cmu_syl_per_wrd - 15.59';
COMMENT ON COLUMN public.st1_complexity_metrics.sent IS
    'number of sentences: readability 0.3, given NLTK''s sentences one per line';
COMMENT ON COLUMN public.st1_complexity_metrics.tok IS
    'number of words: readability 0.3; words are NLTK''s tokens except those of only punctuation';
COMMENT ON COLUMN public.st1_complexity_metrics.syl IS
    'number of syllables of the words: readability 0.3''s rules, without a dictionary';
COMMENT ON COLUMN public.st1_complexity_metrics.read_char IS
    'number of characters of the words: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.wordtypes IS
    'number of distinct words, case-sensitive: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.long_words IS
    'number of words of 7 characters or more: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.complex_words IS
    'number of words of 3 syllables or more, not capitalised, not all digits: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.char_per_wrd IS
    'read_char / tok, characters per word: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.wrd_per_sent IS
    'tok / sent, words per sentence: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.syl_per_wrd IS
    'syl / tok, syllables per word: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.type_token_ratio IS
    'wordtypes / tok, from 0 to 1: readability 0.3';
COMMENT ON COLUMN public.st1_complexity_metrics.textstat_fkgl IS
    'Flesch-Kincaid grade level, years of US school: textstat 0.7.13, its own sentences; 0 without words';
COMMENT ON COLUMN public.st1_complexity_metrics.textstat_fre IS
    'Flesch reading ease, about 0 (hard) to 100 (easy): textstat 0.7.13; 0 without words';
COMMENT ON COLUMN public.st1_complexity_metrics.resources IS
    'libraries and data files used: complexity_resources.id';
COMMENT ON COLUMN public.st1_complexity_metrics.read_sent IS 'the same as sent';
COMMENT ON COLUMN public.st1_complexity_metrics.read_tok IS 'the same as tok';
COMMENT ON COLUMN public.st1_complexity_metrics.read_syl IS 'the same as syl';
COMMENT ON COLUMN public.st1_complexity_metrics.read_wordtypes IS 'the same as wordtypes';
COMMENT ON COLUMN public.st1_complexity_metrics.read_long_words IS 'the same as long_words';
COMMENT ON COLUMN public.st1_complexity_metrics.read_complex_words IS 'the same as complex_words';
COMMENT ON COLUMN public.st1_complexity_metrics.read_char_per_wrd IS 'the same as char_per_wrd';
COMMENT ON COLUMN public.st1_complexity_metrics.read_wrd_per_sent IS 'the same as wrd_per_sent';
COMMENT ON COLUMN public.st1_complexity_metrics.read_syl_per_wrd IS 'the same as syl_per_wrd';
COMMENT ON COLUMN public.st1_complexity_metrics.read_type_token_ratio IS 'the same as type_token_ratio';
