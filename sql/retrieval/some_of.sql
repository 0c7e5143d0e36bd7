-- some_of: the tsquery that matches documents with at least at_least of the terms.
--
-- Each half of the terms has some of them: at least m of A and B is the union, over i, of at least i of A and at least
-- m − i of B. This takes about n log2(n) operands for two of n terms; all combinations would take n².
-- Returns the empty query (all match) for an at_least of 0, and NULL (none match) if there are fewer terms.
CREATE OR REPLACE FUNCTION some_of(terms tsquery[], at_least integer)
RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    n CONSTANT integer := cardinality(some_of.terms);
    half CONSTANT integer := n / 2;
    either tsquery := '';
BEGIN
    IF some_of.at_least <= 0 THEN
        RETURN '';
    ELSIF some_of.at_least > n THEN
        RETURN NULL;
    ELSIF n = 1 THEN
        RETURN some_of.terms[1];
    END IF;
    FOR here IN greatest(0, some_of.at_least - (n - half)) .. least(some_of.at_least, half) LOOP
        either := either || (some_of(some_of.terms[:half], here)
                             && some_of(some_of.terms[half + 1:], some_of.at_least - here));
    END LOOP;
    RETURN either;
END
$$;
COMMENT ON FUNCTION some_of(tsquery[], integer) IS 'The tsquery that matches documents with at least some of the terms';
