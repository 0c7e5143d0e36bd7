-- agreement_pairs: which sides an agreement compares: one row a comparison, numbered.
--
-- others: each against the reference; every: all of them and the reference each against each other. Without others they
-- are those of the reference's own edition: an edition of human and other judgments has its human ones against each
-- annotator of the others (the table of language models); one of a single origin has its annotators each against each
-- other; and a reference narrowed to an origin or an annotator is held against every annotator that is not in it.
-- Raises IR102, IR202 as agreement_side, IR405 nothing to compare with.
CREATE OR REPLACE FUNCTION agreement_pairs(side text, others text[] DEFAULT '{}', every boolean DEFAULT false)
RETURNS TABLE (place bigint, reference text, other text)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = stc, public, pg_temp AS $$
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
            sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition) s
                            WHERE s.origin <> key.origin OR s.annotator <> key.annotator);
        ELSE
            sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition) s);
            IF NOT each AND EXISTS (SELECT FROM agreement_sides(key.edition) s WHERE s.origin = 'human')
                    AND EXISTS (SELECT FROM agreement_sides(key.edition) s WHERE s.origin <> 'human') THEN
                sides := ARRAY(SELECT s.side FROM agreement_sides(key.edition) s WHERE s.origin <> 'human');
                main := agreement_name(key.edition, 'human');
            ELSE
                each := true;
                main := sides[1];
            END IF;
        END IF;
        IF cardinality(array_remove(sides, main)) = 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('%s has nobody else''s judgments to compare with', key.edition),
                HINT = 'Name another edition after it; ''stc qrels editions'' lists them.';
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
    'Which sides an agreement compares, by name: the others given, or those of the same edition';
