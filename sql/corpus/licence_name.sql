-- licence_name: the name of a licence in one spelling, whatever the source writes: lower case, without version.
--
--   http://creativecommons.org/licenses/by-nc/4.0/, CC BY-NC 4.0, CCBYNC, cc-by-nc   cc-by-nc
--   http://creativecommons.org/publicdomain/zero/1.0/, CC0                           cc0
--   http://arxiv.org/licenses/nonexclusive-distrib/1.0/                              arxiv-nonexclusive
--   https://openalex.org/licenses/publisher-specific-oa                              publisher-specific-oa
--   MIT License                                                                      mit-license
--
-- The version is omitted because OpenAlex and Semantic Scholar do not state it. Other names are cut at 60 characters;
-- NULL for NULL and for an empty text.
CREATE OR REPLACE FUNCTION licence_name(licence text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT CASE
               WHEN l.name ~ 'creativecommons\.org/publicdomain/zero' THEN 'cc0'
               WHEN l.name ~ 'creativecommons\.org/publicdomain' THEN 'public-domain'
               WHEN l.name ~ 'creativecommons\.org/licen[cs]es/[a-z+-]+'
                   THEN 'cc-' || substring(l.name FROM 'creativecommons\.org/licen[cs]es/([a-z+-]+)')
               WHEN l.name ~ 'arxiv\.org/licenses/nonexclusive' THEN 'arxiv-nonexclusive'
               WHEN l.name ~ '^cc[ _-]?(0|zero)([ _-]?v?[\d.]+)?$' THEN 'cc0'
               WHEN l.name ~ '^cc[ _-]?by([ _-]?(nc|nd|sa))*([ _-]?v?[\d.]+)?$'
                   THEN concat('cc-by', CASE WHEN l.name ~ 'nc' THEN '-nc' END, CASE WHEN l.name ~ 'nd' THEN '-nd' END,
                               CASE WHEN l.name ~ 'sa' THEN '-sa' END)
               WHEN l.name ~ '^public[ _-]?domain' THEN 'public-domain'
               ELSE nullif(rtrim(left(ltrim(regexp_replace(
                        regexp_replace(l.name, '^https?://(www\.)?(openalex\.org/licenses/)?', ''),
                        '[^a-z0-9./+]+', '-', 'g'), '-'), 60), '-/'), '')
           END COLLATE "C"
      FROM (SELECT lower(btrim(licence_name.licence, E' \t\r\n')) AS name) l
$$;
COMMENT ON FUNCTION licence_name(text) IS 'Name of a licence in one spelling, as cc-by; NULL for an empty text';
