-- combine_measures: what relevance can be combined with: each measure of a document, which way it is good, and the
-- transform into [0, 1] that is taken where none is asked for (combine_plan says what transforms there are).
--
-- The measures of a document are the columns of document_measures; relevance is the score of a ranking. Easier is
-- better, and so is what is cited more, lists more references, is newer; a count of words says how much there is to
-- read. Between the bounds of readability lie nine tenths of ACM's abstracts, and simpler ones: theirs have grade
-- levels of 11.8 to 19.9, and the grade before high school is 8.
--
-- more: whether more of it is better.
CREATE OR REPLACE FUNCTION combine_measures()
RETURNS TABLE (place integer, measure text, kind text, more boolean, transform text)
LANGUAGE sql IMMUTABLE ROWS 30
SET search_path = stc, public, pg_temp
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
'What relevance can be combined with: measures of readability and credibility, which way each is good, its transform '
'into [0, 1]';
