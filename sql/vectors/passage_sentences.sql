-- passage_sentences: the sentences of a text, in their order; white space becomes one space, what has no letter and no
-- digit is left out.
--
-- By rules, so that one statement splits a whole corpus. A sentence ends at . ! ? or … (closing quotes and brackets
-- included) before white space and a capital, a digit, an opening quote or bracket, or a word such as iOS; also without
-- the white space, as in "a method.The result", where a word follows that often opens a sentence. It does not end
--   behind an abbreviation that goes on (e.g., i.e., cf., vs., Fig., Eq., Dr., …), or one before a number (No. 5,
--       pp. 3, vol. 2),
--   behind "et al.", initials and the like (J. Smith, U.S. Army),
--       unless such an opening word follows (by Smith et al. We …),
--   behind the number of an item that it opens with (1. Methods).
-- Within numbers (3.5), names (Node.js) and addresses there is no white space, and so no end.
CREATE OR REPLACE FUNCTION passage_sentences(content text)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    -- What is a capital must not hang on the collation of the database.
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
    -- Each end that may be one gets a mark, and loses it again where a rule says that it is none.
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
COMMENT ON FUNCTION passage_sentences(text) IS 'The sentences of a text, in their order';
