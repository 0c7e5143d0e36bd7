-- synth_lock: key of the advisory lock that a process holds on a document of a study during a step.
CREATE OR REPLACE FUNCTION synth_lock(study integer, step text, doc bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN hashtextextended('stc synth ' || synth_lock.study || ' ' || synth_lock.step, synth_lock.doc);
COMMENT ON FUNCTION synth_lock(integer, text, bigint) IS
    'The key of the advisory lock on a document of a study during a step';
