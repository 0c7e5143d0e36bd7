-- family_name: name of a family of systems for one of its spellings: T5+GPT for GPT + T5, Other for Others.
--
-- The study of synthetic queries has the families GPT, T5, T5+GPT and Other; its slides print GPT + T5 and Others.
-- Other families keep their names. Every comparison of families uses it, so that two spellings are one family.
CREATE OR REPLACE FUNCTION family_name(family text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE lower(regexp_replace(btrim(family), '\s*\+\s*', '+'))
        WHEN 'gpt' THEN 'GPT'
        WHEN 't5' THEN 'T5'
        WHEN 't5+gpt' THEN 'T5+GPT'
        WHEN 'gpt+t5' THEN 'T5+GPT'
        WHEN 'other' THEN 'Other'
        WHEN 'others' THEN 'Other'
        ELSE family
    END
$$;
COMMENT ON FUNCTION family_name(text) IS
    'Name of a family of systems for one of its spellings: T5+GPT for GPT + T5, Other for Others; others keep theirs';
