-- nearest_name: the name most similar to a mistyped one; NULL if none is similar. Similarity is Dice's coefficient of
-- the letter pairs, ignoring case and counting start and end as letters; names are similar from 0.5 on. Names of the
-- same letters in another order ('bm52' for 'bm25') are similar too, but less than those.
CREATE OR REPLACE FUNCTION nearest_name(name text, names text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH pairs AS (
        SELECT DISTINCT w.word, substr(lower(' ' || w.word || ' '), i, 2) AS pair
          FROM unnest(nearest_name.names || nearest_name.name) AS w(word), generate_series(1, length(w.word) + 1) AS i),
    sizes AS (SELECT word, count(*) AS pairs FROM pairs GROUP BY word)
    SELECT p.word
      FROM pairs p JOIN pairs mine USING (pair) JOIN sizes s ON s.word = p.word JOIN sizes t ON t.word = mine.word
     WHERE mine.word = nearest_name.name AND p.word <> nearest_name.name
     GROUP BY p.word, s.pairs, t.pairs
    HAVING 4 * count(*) >= s.pairs + t.pairs
        OR ARRAY(SELECT c FROM unnest(string_to_array(lower(p.word), NULL)) AS c ORDER BY c)
         = ARRAY(SELECT c FROM unnest(string_to_array(lower(nearest_name.name), NULL)) AS c ORDER BY c)
     ORDER BY 2.0 * count(*) / (s.pairs + t.pairs) DESC, p.word COLLATE "C"
     LIMIT 1
$$;
COMMENT ON FUNCTION nearest_name(text, text[]) IS
'Most similar of several names to a mistyped one; NULL if none is similar';
