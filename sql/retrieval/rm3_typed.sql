-- rm3_typed: weighted words as a text for an engine that only counts how often a word occurs in a query: each word is
-- repeated in proportion to its weight, rounded up.
--
-- scale: an upper bound of the value of one occurrence, so that scale times the text's score is never below the
-- weighted score:
--
--   weight(w) <= scale · qtf(w)   for all words w
--
-- It is computed from the text as the configuration reads it, so that it holds however words are normalised. NULL if a
-- lexeme cannot be written (or the text is empty): then there is no bound. A tsvector counts a word up to 255 times and
-- stores up to 16,383 words; `most` repetitions keep scale · qtf within 1 / most of the largest weight.
CREATE OR REPLACE FUNCTION rm3_typed(
    config regconfig, lexemes text[], words text[], weights double precision[], most integer DEFAULT 250,
    OUT typed text, OUT scale double precision
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
BEGIN
    SELECT string_agg(repeat(u.word || ' ', ceil(u.weight / f.unit)::integer), '' ORDER BY u.weight DESC) INTO typed
      FROM unnest(rm3_typed.words, rm3_typed.weights) u (word, weight),
           (SELECT greatest(max(a.weight) / least(rm3_typed.most, 250), sum(a.weight) / 8000) AS unit
              FROM unnest(rm3_typed.weights) a (weight)) f;
    SELECT CASE WHEN bool_and(w.qtf IS NOT NULL) THEN max(u.weight / w.qtf) END INTO scale
      FROM unnest(rm3_typed.lexemes, rm3_typed.weights) u (lexeme, weight)
      LEFT JOIN (SELECT q.lexeme, CASE count(*) OVER () WHEN 1 THEN 1 ELSE q.qtf END AS qtf
                   FROM query_words(rm3_typed.config, rm3_typed.typed) q) w ON w.lexeme = u.lexeme;
END
$$;
COMMENT ON FUNCTION rm3_typed(regconfig, text[], text[], double precision[], integer) IS
'Weighted words as a text that repeats them, and an upper bound of the value of one occurrence';
