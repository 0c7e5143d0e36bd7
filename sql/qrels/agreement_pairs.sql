-- agreement_pairs: the comparisons of an agreement, one numbered row per pair of sides.
--
-- With others, each of them is compared with the reference; with every, all sides including the reference are compared
-- with each other. Without others, the sides come from the reference's edition:
--
--   an edition with human and other judgments     its human judgments against each annotator of another origin
--   an edition of a single origin                 its annotators with each other
--   a reference limited to an origin or annotator the reference against every annotator outside it
--
-- Raises IR102, IR202 as agreement_side, IR405 nothing to compare with.
CREATE OR REPLACE FUNCTION agreement_pairs(side text, others text[] DEFAULT '{}', every boolean DEFAULT false)
RETURNS TABLE (place bigint, reference text, other text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20 SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    main text := agreement_pairs.side;
    sides text[] := ARRAY(SELECT u.side FROM unnest(agreement_pairs.others) WITH ORDINALITY AS u (side, at)
                           WHERE u.side IS NOT NULL GROUP BY u.side ORDER BY min(u.at));
    each boolean := coalesce(agreement_pairs.every, false);
    key record;
BEGIN
    SELECT * INTO key FROM agreement_side(main);
    PERFORM agreement_side(u.side) FROM unnest(sides) AS u (side);
    IF cardinality(sides) = 0 THEN
        IF key.origin IS NOT NULL OR key.annotator IS NOT NULL THEN
            sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition, key.pool) s
                            WHERE s.origin <> key.origin OR s.annotator <> key.annotator);
        ELSE
            sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition, key.pool) s);
            IF NOT each AND EXISTS (SELECT FROM agreement_sides(key.edition, key.pool) s WHERE s.origin = 'human')
                    AND EXISTS (SELECT FROM agreement_sides(key.edition, key.pool) s WHERE s.origin <> 'human') THEN
                sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition, key.pool) s WHERE s.origin <> 'human');
                main := agreement_name(key.edition, 'human');
            ELSE
                each := true;
                main := sides[1];
            END IF;
        END IF;
        IF cardinality(array_remove(sides, main)) = 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('%s%s has only one annotator; there is nothing to compare',
                                 CASE WHEN key.pool IS NULL THEN 'edition ' END, key.edition),
                HINT = 'Name another edition to compare with; ''stc show editions'' lists all editions.';
        END IF;
    END IF;
    IF each THEN
        sides := main || array_remove(sides, main);
        RETURN QUERY SELECT row_number() OVER (ORDER BY a.at, b.at), a.side, b.side
                       FROM unnest(sides) WITH ORDINALITY AS a (side, at)
                       JOIN unnest(sides) WITH ORDINALITY AS b (side, at) ON a.at < b.at;
    ELSE
        RETURN QUERY SELECT u.at, main, u.side FROM unnest(sides) WITH ORDINALITY AS u (side, at);
    END IF;
END
$$;
COMMENT ON FUNCTION agreement_pairs(text, text[], boolean) IS
    'The pairs of sides that an agreement compares, by name: the reference with others, or sides of its own edition';
