-- topic_publisher: the publisher of an article by its web address, for the two that SimpleText takes its topics from:
-- The Guardian and Tech Xplore. NULL for other addresses.
CREATE OR REPLACE FUNCTION topic_publisher(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.publisher
      FROM (VALUES ('theguardian.com', 'The Guardian'), ('techxplore.com', 'Tech Xplore')) AS p (host, publisher)
     WHERE lower(substring(topic_publisher.url FROM '^\s*(?:[A-Za-z]+:)?//(?:www\.)?([^/:?#\s]+)')) = p.host
$$;
COMMENT ON FUNCTION topic_publisher(text) IS
'Publisher of an article by its web address: The Guardian, Tech Xplore, or NULL';
