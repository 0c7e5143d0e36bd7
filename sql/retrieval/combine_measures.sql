-- combine_measures: the measures that can be combined with relevance: the preferred direction of each, and its default
-- transform into [0, 1] (combine_plan lists the transforms).
--
-- The measures are the columns of document_measures; relevance is the score in a ranking. Text that is easier to read
-- is better, and so are more citations, more references and a newer year; counts of words measure how much there is to
-- read. The bounds of readability cover nine tenths of ACM's abstracts, and simpler ones: these have grade levels of
-- 11.8 to 19.9, and the grade before high school is 8.
--
-- more: true if larger values are better.
CREATE OR REPLACE FUNCTION combine_measures()
RETURNS TABLE (place integer, measure text, kind text, more boolean, transform text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30
SET search_path = stc_all, stc, public, pg_temp
AS $$
    VALUES
    (1, 'relevance', 'relevance', true, 'minmax'),
    (2, 'nltk_sent', 'readability', false, 'linear(12,2)'),
    (3, 'nltk_tok', 'readability', false, 'linear(300,60)'),
    (4, 'cmu_tok', 'readability', false, 'linear(250,50)'),
    (5, 'cmu_syl', 'readability', false, 'linear(450,90)'),
    (6, 'cmu_wrd_per_sent', 'readability', false, 'linear(35,15)'),
    (7, 'cmu_syl_per_wrd', 'readability', false, 'linear(2.2,1.4)'),
    (8, 'cmu_fkgl', 'readability', false, 'linear(20,8)'),
    (9, 'read_sent', 'readability', false, 'linear(12,2)'),
    (10, 'read_tok', 'readability', false, 'linear(250,50)'),
    (11, 'read_syl', 'readability', false, 'linear(450,90)'),
    (12, 'read_char', 'readability', false, 'linear(1400,280)'),
    (13, 'read_wordtypes', 'readability', false, 'linear(160,40)'),
    (14, 'read_long_words', 'readability', false, 'linear(100,20)'),
    (15, 'read_complex_words', 'readability', false, 'linear(60,10)'),
    (16, 'read_char_per_wrd', 'readability', false, 'linear(6.5,4.5)'),
    (17, 'read_wrd_per_sent', 'readability', false, 'linear(35,15)'),
    (18, 'read_syl_per_wrd', 'readability', false, 'linear(2.2,1.4)'),
    (19, 'read_type_token_ratio', 'readability', false, 'linear(0.9,0.5)'),
    (20, 'textstat_fkgl', 'readability', false, 'linear(20,8)'),
    (21, 'textstat_fre', 'readability', true, 'linear(0,60)'),
    (22, 'long_word_share', 'readability', false, 'linear(0.5,0.2)'),
    (23, 'complex_word_share', 'readability', false, 'linear(0.35,0.1)'),
    (24, 'citation_percentile', 'credibility', true, 'linear(0,100)'),
    (25, 'citations', 'credibility', true, 'log(0,1000)'),
    (26, 'citations_per_year', 'credibility', true, 'log(0,50)'),
    (27, 'references', 'credibility', true, 'log(0,50)'),
    (28, 'age', 'credibility', false, 'linear(30,0)')
$$;
COMMENT ON FUNCTION combine_measures() IS
'Measures that can be combined with relevance: kind, whether more is better, and default transform into [0, 1]';
