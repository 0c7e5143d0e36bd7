-- db_comments: the comments of the tables for members, settings and the state of the schema, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION db_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('stc_members', NULL, 'Participants and their teams'),
    ('stc_members', 'member', 'role the participant logs in with'),
    ('stc_members', 'team', 'name of the team; its members can read its runs'),
    ('stc_members', 'added', 'when the participant was added'),

    ('removals', NULL, 'Rows to remove: the trigger remove_rows removes what a new row names, and then the row'),
    ('removals', 'kind', 'run, unfinished, edition or file'),
    ('removals', 'id', 'st1_runs.id, unfinished_runs.id, qrels_editions.id or qrels_files.id'),

    ('studies', NULL, 'Studies of the collection; the tables of one stay while its package is not installed'),
    ('studies', 'study', 'name of the study'),
    ('studies', 'revision', 'last migration of the study that ran'),
    ('studies', 'rights', 'its tables, with the rights of each role, as stc_rights returns them'),

    ('study_rows', NULL, 'Rows of restored studies that are not installed; an upgrade with the study puts them back'),
    ('study_rows', 'study', 'studies.study'),
    ('study_rows', 'relation', 'table the rows belong to'),
    ('study_rows', 'place', 'number of the block, from 0'),
    ('study_rows', 'columns', 'columns of the rows'),
    ('study_rows', 'content', 'rows in the text format of COPY'),

    ('stc_settings', NULL, 'Settings of the collection that SQL functions read; only its owner can change them'),
    ('stc_settings', 'name', 'name of the setting'),
    ('stc_settings', 'value', 'value of the setting'),

    ('stc_objects', NULL, 'Functions and views installed from sql/, one row per file'),
    ('stc_objects', 'file', 'path of the file in sql/'),
    ('stc_objects', 'creates', 'kind and name of each object the file creates'),
    ('stc_objects', 'fingerprint', 'SHA-256 of the file, in hexadecimal'),
    ('stc_objects', 'catalogue', 'SHA-256 of the definitions in the database, to detect changes made by hand'),
    ('stc_objects', 'signatures',
     'kind, name and argument types of each object; an upgrade replaces or drops only these'),

    ('stc_catalogue', NULL,
     'Definitions of tables and rights as recorded by the last upgrade, to detect changes made by hand'),
    ('stc_catalogue', 'kind', 'kind of object, as column, constraint, index, trigger, policy, owner or grants'),
    ('stc_catalogue', 'name', 'name of the object as PostgreSQL writes it'),
    ('stc_catalogue', 'definition', 'definition of the object as PostgreSQL writes it'),

    ('alembic_version', NULL, 'Revision of the table definitions, set by the last upgrade'),
    ('alembic_version', 'version_num', 'number of the newest revision applied')
$$;
COMMENT ON FUNCTION db_comments() IS
'Comments of the tables for members, settings and the state of the schema, and of their columns';
