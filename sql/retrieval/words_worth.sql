-- words_worth: a tsquery that all documents match whose words weigh at least `worth` together and are at_least of them.
-- It also matches some other documents, which the caller must exclude.
--
-- weights: descending, one for each term. For j = 1, 2, ...: a document with fewer than j of the first e terms weighs
-- at most as much as the first j − 1 terms and all after e. If that is less than worth, it needs j of the first e. The
-- same holds for the number of its words: it needs j of the first n − at_least + j. Each condition uses the smaller e.
-- This is the division into essential and other words of MaxScore (Turtle & Flood, IPM 31(6), 1995), which a GIN index
-- carries out: it reads the entries of words that must occur, and looks the others up.
--
-- deep: the largest j; the conditions grow with it (some_of).
CREATE OR REPLACE FUNCTION words_worth(
    terms tsquery[], weights double precision[], worth double precision, at_least integer, deep integer
)
RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    n CONSTANT integer := cardinality(words_worth.terms);
    best double precision := 0;  -- the first j − 1 weights
    rest double precision;
    needed integer;
    before integer := 0;
    wanted tsquery := '';
    last tsquery := '';
BEGIN
    FOR j IN 1 .. least(words_worth.deep, n) LOOP
        needed := n + 1;
        rest := best;
        WHILE needed > j AND rest + coalesce(words_worth.weights[needed], 0) < words_worth.worth LOOP
            rest := rest + coalesce(words_worth.weights[needed], 0);
            needed := needed - 1;
        END LOOP;
        IF j <= words_worth.at_least THEN
            needed := least(needed, n - words_worth.at_least + j);
        END IF;
        EXIT WHEN needed > n;
        IF needed > before THEN  -- else j of these include j − 1 of these
            wanted := wanted && last;
        END IF;
        last := some_of(words_worth.terms[:needed], j);
        before := needed;
        best := best + words_worth.weights[j];
    END LOOP;
    RETURN wanted && last;
END
$$;
COMMENT ON FUNCTION words_worth(tsquery[], double precision[], double precision, integer, integer) IS
'A tsquery that all documents match whose words weigh at least a value, for a GIN index';
