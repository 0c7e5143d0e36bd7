-- pair_order: order of documents by binary insertion from comparisons of two of them, and the next pair to compare.
--
--   docs      documents in the order in which they are inserted
--   choices   comparisons so far: for a pair of documents a and b the keys 'a:b' and 'b:a', from the view of the first:
--             better, worse, equal, neither (both are not relevant) or undecided
--
-- Each document is compared with the middle one of the levels where its place can still be, until the place is known.
-- Documents on one level are equal, and their first one represents them. The outcomes:
--
--   equal      the document joins the level
--   neither    both documents are not relevant. The level, all levels below it and the document become the last level,
--              of not relevant documents; a document that is worse than one of them joins them
--   undecided  the document is set aside: it gets no level and is not compared again
--
-- Every place follows from comparisons with other levels, so an order cannot contradict itself. n documents need at
-- most the sum of ceil(log2(i)) for i = 2 … n comparisons, less than n log2(n) (Knuth, The Art of Computer Programming
-- 3, section 6.2.1).
--
--   placed, levels   documents with a level, and their levels: 0 not relevant, larger is better
--   aside            documents that are set aside
--   doc, other       the next pair: the document to insert, and the one to compare it with; NULL if the order is
--                    complete
--   remaining        largest number of comparisons that can still be needed
CREATE OR REPLACE FUNCTION pair_order(docs bigint[], choices jsonb, OUT placed bigint[], OUT levels integer[],
                                      OUT aside bigint[], OUT doc bigint, OUT other bigint, OUT remaining bigint)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    heads bigint[] := '{}';  -- first document of each level, best level first
    owners bigint[] := '{}';  -- first document of the level of each document in placed
    bottom bigint;  -- first document of the level of not relevant documents
    one bigint;
    place integer := 0;
    low integer;
    high integer;
    middle integer;
    choice text;
    fallen bigint[];
BEGIN
    placed := '{}';
    aside := '{}';
    remaining := 0;
    FOREACH one IN ARRAY docs LOOP
        place := place + 1;
        low := 1;
        high := cardinality(heads) + 1;
        WHILE low < high LOOP
            middle := (low + high) / 2;
            choice := choices ->> concat(one, ':', heads[middle]);
            IF choice IS NULL THEN
                doc := one;
                other := heads[middle];
                EXIT;
            ELSIF choice = 'better' THEN
                high := middle;
            ELSIF choice = 'worse' AND heads[middle] IS DISTINCT FROM bottom THEN
                low := middle + 1;
            ELSE
                EXIT;
            END IF;
        END LOOP;
        EXIT WHEN doc IS NOT NULL;
        IF low = high THEN
            heads := heads[:low - 1] || one || heads[low:];
            owners := owners || one;
        ELSIF choice = 'undecided' THEN
            aside := aside || one;
            CONTINUE;
        ELSE
            IF choice = 'neither' THEN
                bottom := heads[middle];
                fallen := heads[middle + 1:];
                heads := heads[:middle];
                owners := ARRAY(SELECT CASE WHEN u.head = ANY (fallen) THEN bottom ELSE u.head END
                                  FROM unnest(owners) WITH ORDINALITY AS u (head, number) ORDER BY u.number);
            END IF;
            owners := owners || heads[middle];
        END IF;
        placed := placed || one;
    END LOOP;
    levels := ARRAY(SELECT cardinality(heads) - array_position(heads, u.head) + (bottom IS NULL)::integer
                      FROM unnest(owners) WITH ORDINALITY AS u (head, number) ORDER BY u.number);
    IF doc IS NOT NULL THEN
        -- ceil(log2(n + 1)) comparisons for n levels: the number of binary digits of n
        remaining := length(ltrim((high - low)::bit(32)::text, '0'))
            + (SELECT coalesce(sum(length(ltrim((cardinality(heads) + n)::bit(32)::text, '0'))), 0)
                 FROM generate_series(1, cardinality(docs) - place) AS n);
    END IF;
END
$$;
COMMENT ON FUNCTION pair_order(bigint[], jsonb) IS
    'Order of documents from comparisons of two of them, by binary insertion: levels, and the next pair to compare';
