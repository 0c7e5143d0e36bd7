-- in_snapshot: whether a document is in the snapshot of a day, from its columns of dblp_facts. All searches, pools and
-- scores as of a day use this rule. day is the date of a snapshot (snapshot_at), not any day.
--
-- A document without dates is not from a snapshot, and in the collection on every day.
--
-- Written so that PostgreSQL inlines it if day is a constant, a variable or a parameter: then the index on first_date
-- can be used, and the planner knows the share of the documents.
CREATE OR REPLACE FUNCTION in_snapshot(first_date date, last_date date, absent date[], day date)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT first_date IS NULL
        OR first_date <= day AND last_date >= day AND (absent IS NULL OR day <> ALL (absent))
$$;
COMMENT ON FUNCTION in_snapshot(date, date, date[], date) IS
'Whether a document is in the snapshot of a day, from first_date, last_date and absent of dblp_facts';
