-- passage_sentences: split a text into sentences, in order. White space becomes one space; sentences without a letter
-- or digit are omitted.
--
-- It uses rules, so that one statement splits a whole corpus. A sentence ends at . ! ? or … (with closing quotes and
-- brackets) before white space and a capital, a digit, an opening quote or bracket, or a word such as iOS. It also ends
-- without white space, as in "a method.The result", before a word that often begins a sentence. It does not end
--   after an abbreviation that continues (e.g., i.e., cf., vs., Fig., Eq., Dr., …), or one before a number (No. 5,
--       pp. 3, vol. 2),
--   after "et al.", initials and the like (J. Smith, U.S. Army), unless a word that begins sentences follows
--       (by Smith et al. We …),
--   after the number of an item at its start (1. Methods).
-- Numbers (3.5), names (Node.js) and addresses contain no white space and so are not split.
CREATE OR REPLACE FUNCTION passage_sentences(content text)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    -- Which characters are capitals must not depend on the collation of the database.
    marked text COLLATE "pg_c_utf8" := btrim(
                                             regexp_replace(passage_sentences.content COLLATE "pg_c_utf8",
                                                            '[\s\x1e\x1f]+', ' ', 'g'));
    openers CONSTANT text :=
        '(?:The|This|These|Those|That|There|Then|Thus|Therefore|Their|They|To|Through|Two|Three|Today|We|With|When|'
        'While|Where|What|Which|'
        'Our|On|One|Other|In|It|Its|If|Is|Are|A|An|And|All|Although|Also|Additionally|After|Another|As|At|Among|'
        'Based|Because|But|By|Both|'
        'Can|Compared|Current|Despite|Do|Does|Due|During|Each|Existing|Experiments|Experimental|Finally|'
        'First|Second|Third|For|From|'
        'Furthermore|Further|Given|Hence|Here|How|However|Instead|Many|More|Moreover|Most|Much|Next|No|Not|'
        'Nevertheless|Results|Recent|Overall|Similar|'
        'Recently|She|He|Several|Since|So|Some|Such|Specifically|Similarly|Unlike|Unfortunately|Using|'
        'Various|You|Your)';
BEGIN
    -- Mark each possible end of a sentence, then remove the marks that the rules exclude.
    marked := regexp_replace(marked, '([.!?…]+["'')\]”’»]*) '
                                     '(?=["''(\[“‘«]*(?:[[:upper:]\d]|[[:lower:]]{1,2}[[:upper:]]))', E'\\1\x1f', 'g');
    marked := regexp_replace(marked, '([[:lower:])\]][.!?])(?=' || openers || '[ ,])', E'\\1\x1f', 'g');
    marked := regexp_replace(marked, '([。！？]+)', E'\\1\x1f', 'g');
    marked := regexp_replace(marked,
        '(\m(?:e\.g|i\.e|cf|vs|viz|resp|approx|ca|esp|incl|w\.r\.t|[Ff]igs?|FIG|[Ee]qs?|[Ee]qns?|[Ss]ecs?|'
        '[Ss]ects?|[Rr]efs?|Chap|Tab|Alg|'
        'Thm|Def|Lem|Prop|Dr|Prof|Mr|Mrs|Ms|St|Mt)\.["'')\]]*)\x1f', '\1 ', 'g');
    marked := regexp_replace(marked, '(\m(?:[Nn]o|[Nn]os|[Nn]r|[Vv]ol|[Vv]ols|[Cc]h|pp?|Ex|Art|[Vv]er|v)\.)\x1f(?=\d)',
                             '\1 ', 'g');
    marked := regexp_replace(marked, '(\m(?:al|[[:upper:]]|(?:[[:alpha:]]\.)+[[:alpha:]])\.["'')\]]*)\x1f(?!' || openers
                             || '[ ,])', '\1 ', 'g');
    marked := regexp_replace(marked, '((?:^|\x1f)\(?\d{1,2}\.)\x1f', '\1 ', 'g');
    RETURN ARRAY(
        SELECT btrim(s.sentence) FROM string_to_table(marked, E'\x1f') WITH ORDINALITY s (sentence, place)
         WHERE s.sentence ~ '[[:alnum:]]' ORDER BY s.place);
END
$$;
COMMENT ON FUNCTION passage_sentences(text) IS 'Sentences of a text, in order';
