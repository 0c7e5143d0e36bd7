-- dblp_authors: the authors of the documents with their affiliations, one row per document and author.
--
--   doc       dblp.id
--   position  1 = first author
--   author    the author's id as text (a number in dblp v11 and v12, 24 hexadecimal digits in v13 and v14); NULL if the
--             record has none
--   name, org as in the record; v10 has only names
CREATE OR REPLACE VIEW public.dblp_authors WITH (security_invoker = true) AS
SELECT d.id AS doc, a.position::integer AS position,
       nullif(coalesce(a.author ->> 'id', a.author ->> '_id'), '') AS author,
       CASE jsonb_typeof(a.author) WHEN 'string' THEN a.author #>> '{}' ELSE a.author ->> 'name' END AS name,
       nullif(a.author ->> 'org', '') AS org
  FROM dblp d
 CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(d.doc -> 'authors') WHEN 'array' THEN d.doc -> 'authors' END)
       WITH ORDINALITY AS a (author, position)
 WHERE NOT d.stub AND jsonb_typeof(a.author) IN ('object', 'string');
COMMENT ON VIEW public.dblp_authors IS
'Authors of the documents with their affiliations, one row per document and author';
COMMENT ON COLUMN public.dblp_authors.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.dblp_authors.position IS 'position in the list of authors; 1 is the first';
COMMENT ON COLUMN public.dblp_authors.author IS 'id of the author as text; NULL if the record has none';
COMMENT ON COLUMN public.dblp_authors.name IS 'name as written in the record';
COMMENT ON COLUMN public.dblp_authors.org IS 'affiliation as written in the record; NULL if the record has none';
