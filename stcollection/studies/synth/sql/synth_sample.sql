-- synth_sample: sample documents with a text for a study, until it has n; the study is created if it does not exist.
-- Returns the number sampled now, the number in the study, and the number of eligible documents.
--
-- The sample consists of the first n by md5(seed || ' ' || docno). The same corpus, seed, field and filter give the
-- same documents in the same order, independent of storage order; a larger n extends a smaller one. Documents added to
-- the corpus after the first call come after those of the study.
--
-- field, seed and filter (as in filter_condition): NULL uses the values of the study; for a new study, abstract, 1 and
-- no filter.
-- Raises IR201 n below 1; IR202 an empty name, an unknown field, or a study with other settings or more than n
-- documents; IR405 no eligible document; and the errors of filter_condition.
CREATE OR REPLACE FUNCTION synth_sample(
    study text, n integer, seed bigint DEFAULT NULL, field text DEFAULT NULL, filter jsonb DEFAULT NULL,
    OUT drawn bigint, OUT sampled bigint, OUT eligible bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
DECLARE
    of_study synth_studies;
    wanted jsonb := nullif(synth_sample.filter, '{}');
    drawn_by jsonb;
    allowed bigint[];
    wrong text;
BEGIN
    IF btrim(coalesce(synth_sample.study, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the study is empty',
            HINT = 'Give the study a name, such as dl23.';
    END IF;
    PERFORM check_name('study', synth_sample.study);
    IF synth_sample.n IS NULL OR synth_sample.n < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = 'a sample of ' || counted(synth_sample.n, 'document'),
            HINT = 'n is the number of documents to sample; it must be 1 or more.';
    ELSIF synth_sample.field NOT IN ('abstract', 'content') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no field %L to sample', synth_sample.field),
            HINT = 'Use abstract, or content (title and abstract).';
    END IF;
    INSERT INTO synth_studies (study, field, seed, params)
    VALUES (synth_sample.study, coalesce(synth_sample.field, 'abstract'), coalesce(synth_sample.seed, 1),
            jsonb_build_object('sample', jsonb_build_object('filter', wanted)))
    ON CONFLICT DO NOTHING;
    SELECT * INTO of_study FROM synth_studies s WHERE s.study = synth_sample.study COLLATE "C" FOR NO KEY UPDATE;
    drawn_by := nullif(of_study.params #> '{sample,filter}', 'null');
    sampled := (SELECT count(*) FROM synth_passages p WHERE p.study = of_study.id);
    wrong := CASE WHEN synth_sample.field <> of_study.field THEN format('from the field %s', of_study.field)
                  WHEN synth_sample.seed <> of_study.seed THEN format('with the seed %s', of_study.seed)
                  WHEN wanted <> coalesce(drawn_by, '{}')
                  THEN coalesce('with the filter ' || left(drawn_by::text, 200), 'without a filter')
                  WHEN sampled > synth_sample.n THEN 'and has ' || counted(sampled, 'document') END;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('study %L was sampled %s', synth_sample.study, wrong),
            HINT = 'To extend it, use a larger n with the same settings; for another sample, name another study or '
                   'drop this one.';
    END IF;
    wanted := drawn_by;
    IF wanted IS NOT NULL THEN
        allowed := coalesce(filter_docs(wanted), '{}');
    END IF;
    WITH there AS MATERIALIZED (
        SELECT d.id, d.docno
          FROM dblp_text t JOIN dblp d ON d.id = t.id
         WHERE NOT d.stub AND synth_passage(of_study.field, t.title, t.abstract) IS NOT NULL
           AND (wanted IS NULL OR d.id = ANY (allowed))),
    new AS (
        SELECT x.id, row_number() OVER (ORDER BY md5(of_study.seed || ' ' || x.docno) COLLATE "C",
                                        x.docno COLLATE "C") AS place
          FROM there x WHERE NOT EXISTS (SELECT FROM synth_passages p WHERE p.study = of_study.id AND p.doc = x.id)),
    added AS (
        INSERT INTO synth_passages (study, doc, place)
        SELECT of_study.id, w.id, synth_sample.sampled + w.place FROM new w
         WHERE w.place <= synth_sample.n - synth_sample.sampled
        RETURNING 1)
    SELECT (SELECT count(*) FROM added), (SELECT count(*) FROM there) INTO drawn, eligible;
    sampled := sampled + drawn;
    IF sampled = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there is no document with %s to sample',
                             CASE of_study.field WHEN 'abstract' THEN 'an abstract' ELSE 'a text' END),
            HINT = 'The filter excludes all, or the corpus has none: see ''stc show corpus'' and ''stc index''.';
    END IF;
END
$$;
COMMENT ON FUNCTION synth_sample(text, integer, bigint, text, jsonb) IS
    'Samples documents for a study of synthetic queries by a hash of seed and docno; a larger n extends a smaller one';
