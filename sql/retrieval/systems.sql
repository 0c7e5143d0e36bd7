-- systems: the retrieval systems that the current role can name: those of the product (systems.toml), then those that
-- organisers added for everybody, then those that the role added for itself (add_system).
CREATE OR REPLACE VIEW public.systems WITH (security_invoker = true) AS
SELECT b.system, b.title, split_part(b.call, '(', 1) AS function, b.call LIKE '%$3%' AS vector, NULL::text AS maker,
       NULL::text AS problem
  FROM (SELECT * FROM product_systems() ORDER BY place) b
 UNION ALL
(SELECT o.system, coalesce(o.title, o.system), o.function, c.vector, coalesce(o.maker, 'organisers'),
       c.fault
   FROM own_systems o CROSS JOIN LATERAL system_call(o.function, o.fusion, o.system) c
  WHERE o.system NOT IN (SELECT b.system FROM product_systems() b)
    AND (o.maker IS NULL OR o.maker = current_user AND NOT EXISTS (
        SELECT FROM own_systems s WHERE s.system = o.system AND s.maker IS NULL))
  ORDER BY o.maker NULLS FIRST, o.system);
COMMENT ON VIEW public.systems IS 'Retrieval systems, one row each: those of the product, then those that users added';
COMMENT ON COLUMN public.systems.system IS 'name of the system';
COMMENT ON COLUMN public.systems.title IS 'description in a few words';
COMMENT ON COLUMN public.systems.function IS 'SQL function that searches';
COMMENT ON COLUMN public.systems.vector IS 'true: it needs the vector of the query';
COMMENT ON COLUMN public.systems.maker IS
'who added it: organisers, for everybody, or the name of this role; NULL: the product';
COMMENT ON COLUMN public.systems.problem IS 'why this role cannot run it; NULL: it can';
