-- PostgreSQL's catalogue, as far as clients ask it: filled with what is here, the rest empty.
CREATE TABLE pg.pg_namespace (oid BIGINT, nspname VARCHAR, nspowner BIGINT, nspacl VARCHAR);
INSERT INTO pg.pg_namespace VALUES (11, 'pg_catalog', 10, NULL), (2200, 'sys', 10, NULL), (13000, 'information_schema', 10, NULL);

CREATE TABLE pg.pg_class (oid BIGINT, relname VARCHAR, relnamespace BIGINT, reltype BIGINT DEFAULT 0, reloftype BIGINT DEFAULT 0,
  relowner BIGINT DEFAULT 10, relam BIGINT DEFAULT 0, relfilenode BIGINT DEFAULT 0, reltablespace BIGINT DEFAULT 0,
  relpages INTEGER DEFAULT 0, reltuples DOUBLE PRECISION DEFAULT -1, relallvisible INTEGER DEFAULT 0,
  reltoastrelid BIGINT DEFAULT 0, relhasindex BOOLEAN DEFAULT FALSE, relisshared BOOLEAN DEFAULT FALSE,
  relpersistence VARCHAR DEFAULT 'p', relkind VARCHAR DEFAULT 'v', relnatts INTEGER, relchecks INTEGER DEFAULT 0,
  relhasrules BOOLEAN DEFAULT FALSE, relhastriggers BOOLEAN DEFAULT FALSE, relhassubclass BOOLEAN DEFAULT FALSE,
  relrowsecurity BOOLEAN DEFAULT FALSE, relforcerowsecurity BOOLEAN DEFAULT FALSE, relispopulated BOOLEAN DEFAULT TRUE,
  relreplident VARCHAR DEFAULT 'n', relispartition BOOLEAN DEFAULT FALSE, relrewrite BIGINT DEFAULT 0,
  relfrozenxid BIGINT DEFAULT 0, relminmxid BIGINT DEFAULT 0, relacl VARCHAR, reloptions VARCHAR, relpartbound VARCHAR,
  relhasoids BOOLEAN DEFAULT FALSE, xmin BIGINT DEFAULT 1);

CREATE TABLE pg.pg_attribute (attrelid BIGINT, attname VARCHAR, atttypid BIGINT, attstattarget INTEGER DEFAULT -1, attlen INTEGER,
  attnum INTEGER, attndims INTEGER DEFAULT 0, attcacheoff INTEGER DEFAULT -1, atttypmod INTEGER DEFAULT -1,
  attbyval BOOLEAN DEFAULT FALSE, attstorage VARCHAR DEFAULT 'p', attalign VARCHAR DEFAULT 'i', attcompression VARCHAR DEFAULT '',
  attnotnull BOOLEAN DEFAULT FALSE, atthasdef BOOLEAN DEFAULT FALSE, atthasmissing BOOLEAN DEFAULT FALSE,
  attidentity VARCHAR DEFAULT '', attgenerated VARCHAR DEFAULT '', attisdropped BOOLEAN DEFAULT FALSE,
  attislocal BOOLEAN DEFAULT TRUE, attinhcount INTEGER DEFAULT 0, attcollation BIGINT DEFAULT 0, attacl VARCHAR,
  attoptions VARCHAR, attfdwoptions VARCHAR);

CREATE TABLE pg.pg_type (oid BIGINT, typname VARCHAR, typnamespace BIGINT DEFAULT 11, typowner BIGINT DEFAULT 10, typlen INTEGER,
  typbyval BOOLEAN DEFAULT FALSE, typtype VARCHAR DEFAULT 'b', typcategory VARCHAR, typispreferred BOOLEAN DEFAULT FALSE,
  typisdefined BOOLEAN DEFAULT TRUE, typdelim VARCHAR DEFAULT ',', typrelid BIGINT DEFAULT 0, typelem BIGINT DEFAULT 0,
  typarray BIGINT DEFAULT 0, typinput BIGINT DEFAULT 46, typoutput BIGINT DEFAULT 47,
  typreceive BIGINT DEFAULT 2414, typsend BIGINT DEFAULT 2415, typmodin BIGINT DEFAULT 0,
  typmodout BIGINT DEFAULT 0, typanalyze BIGINT DEFAULT 0, typalign VARCHAR DEFAULT 'i', typstorage VARCHAR DEFAULT 'p',
  typnotnull BOOLEAN DEFAULT FALSE, typbasetype BIGINT DEFAULT 0, typtypmod INTEGER DEFAULT -1, typndims INTEGER DEFAULT 0,
  typcollation BIGINT DEFAULT 0, typdefaultbin VARCHAR, typdefault VARCHAR, typacl VARCHAR, typsubscript VARCHAR DEFAULT '-');
INSERT INTO pg.pg_type (oid, typname, typlen, typcategory, typarray) VALUES (16, 'bool', 1, 'B', 1000), (18, 'char', 1, 'Z', 1002),
  (19, 'name', 64, 'S', 1003), (20, 'int8', 8, 'N', 1016), (21, 'int2', 2, 'N', 1005), (23, 'int4', 4, 'N', 1007),
  (25, 'text', -1, 'S', 1009), (26, 'oid', 4, 'N', 1028), (700, 'float4', 4, 'N', 1021), (701, 'float8', 8, 'N', 1022),
  (1043, 'varchar', -1, 'S', 1015), (1082, 'date', 4, 'D', 1182), (1114, 'timestamp', 8, 'D', 1115),
  (1184, 'timestamptz', 8, 'D', 1185), (1700, 'numeric', -1, 'N', 1231);
INSERT INTO pg.pg_type (oid, typname, typlen, typcategory, typelem, typinput, typreceive)
  SELECT typarray, '_' || typname, -1, 'A', oid, 750, 2400 FROM pg.pg_type;

CREATE TABLE pg.pg_database (oid BIGINT, datname VARCHAR, datdba BIGINT, encoding INTEGER, datlocprovider VARCHAR, datcollate VARCHAR,
  datctype VARCHAR, daticulocale VARCHAR, datistemplate BOOLEAN, datallowconn BOOLEAN, datconnlimit INTEGER, datfrozenxid BIGINT,
  dattablespace BIGINT, datacl VARCHAR ARRAY);
CREATE TABLE pg.pg_tablespace (oid BIGINT, spcname VARCHAR, spcowner BIGINT, spcacl VARCHAR, spcoptions VARCHAR);
INSERT INTO pg.pg_tablespace VALUES (1663, 'pg_default', 10, NULL, NULL);
CREATE VIEW pg.pg_roles AS SELECT CAST(10 AS BIGINT) AS oid, pg.of_current_user() AS rolname, FALSE AS rolsuper, TRUE AS rolinherit,
  FALSE AS rolcreaterole, FALSE AS rolcreatedb, TRUE AS rolcanlogin, FALSE AS rolreplication, -1 AS rolconnlimit,
  CAST(NULL AS VARCHAR) AS rolpassword, CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS rolvaliduntil, FALSE AS rolbypassrls,
  CAST(NULL AS VARCHAR ARRAY) AS rolconfig;
CREATE VIEW pg.pg_user AS SELECT rolname AS usename, oid AS usesysid, FALSE AS usecreatedb, FALSE AS usesuper, FALSE AS userepl,
  FALSE AS usebypassrls, CAST(NULL AS VARCHAR) AS passwd, rolvaliduntil AS valuntil, rolconfig AS useconfig FROM pg.pg_roles;
CREATE TABLE pg.pg_group (groname VARCHAR, grosysid BIGINT, grolist VARCHAR);
CREATE TABLE pg.pg_auth_members (roleid BIGINT, member BIGINT, grantor BIGINT, admin_option BOOLEAN);
CREATE TABLE pg.pg_shadow (usename VARCHAR, usesysid BIGINT);
CREATE VIEW pg.pg_settings AS SELECT name, setting, CAST(NULL AS VARCHAR) AS unit, 'Forebay' AS category, '' AS short_desc,
  'user' AS context, 'string' AS vartype, 'default' AS source, setting AS boot_val, setting AS reset_val FROM internal.settings();

CREATE VIEW pg.pg_foreign_data_wrapper AS SELECT 20000 + MIN(n) AS oid, db_type || '_fdw' AS fdwname, CAST(10 AS BIGINT) AS fdwowner,
  CAST(0 AS BIGINT) AS fdwhandler, CAST(0 AS BIGINT) AS fdwvalidator, CAST(NULL AS VARCHAR) AS fdwacl, CAST(NULL AS VARCHAR) AS fdwoptions
  FROM (SELECT db_type, ROW_NUMBER() OVER (ORDER BY server_name) AS n FROM sys.foreign_servers) s GROUP BY db_type;
CREATE VIEW pg.pg_foreign_server AS SELECT 30000 + ROW_NUMBER() OVER (ORDER BY s.server_name) AS oid, s.server_name AS srvname,
  CAST(10 AS BIGINT) AS srvowner, w.oid AS srvfdw, s.db_type AS srvtype, s.server_version AS srvversion, CAST(NULL AS VARCHAR) AS srvacl,
  s.options AS srvoptions FROM sys.foreign_servers s JOIN pg.pg_foreign_data_wrapper w ON w.fdwname = s.db_type || '_fdw';
CREATE VIEW pg.pg_user_mappings AS SELECT 40000 + ROW_NUMBER() OVER (ORDER BY m.server_name, m.local_user) AS umid, f.oid AS srvid,
  m.server_name AS srvname, CAST(CASE m.local_user WHEN 'PUBLIC' THEN 0 ELSE 10 END AS BIGINT) AS umuser,
  CASE m.local_user WHEN 'PUBLIC' THEN 'public' ELSE m.local_user END AS usename, CAST(NULL AS VARCHAR) AS umoptions
  FROM sys.user_mappings m JOIN pg.pg_foreign_server f ON f.srvname = m.server_name;
CREATE VIEW pg.pg_user_mapping AS SELECT umid AS oid, umuser, srvid AS umserver, umoptions FROM pg.pg_user_mappings;
CREATE TABLE pg.pg_foreign_table (ftrelid BIGINT, ftserver BIGINT, ftoptions VARCHAR);

CREATE TABLE pg.pg_am (oid BIGINT, amname VARCHAR, amhandler BIGINT, amtype VARCHAR);
CREATE TABLE pg.pg_attrdef (oid BIGINT, adrelid BIGINT, adnum INTEGER, adbin VARCHAR);
CREATE TABLE pg.pg_description (objoid BIGINT, classoid BIGINT, objsubid INTEGER, description VARCHAR);
CREATE TABLE pg.pg_shdescription (objoid BIGINT, classoid BIGINT, description VARCHAR);
CREATE TABLE pg.pg_index (indexrelid BIGINT, indrelid BIGINT, indnatts INTEGER, indnkeyatts INTEGER, indisunique BOOLEAN,
  indisprimary BOOLEAN, indisexclusion BOOLEAN, indimmediate BOOLEAN, indisclustered BOOLEAN, indisvalid BOOLEAN,
  indcheckxmin BOOLEAN, indisready BOOLEAN, indislive BOOLEAN, indisreplident BOOLEAN, indkey INTEGER ARRAY, indcollation VARCHAR,
  indclass VARCHAR, indoption INTEGER ARRAY, indexprs VARCHAR, indpred VARCHAR);
CREATE TABLE pg.pg_constraint (oid BIGINT, conname VARCHAR, connamespace BIGINT, contype VARCHAR, condeferrable BOOLEAN,
  condeferred BOOLEAN, convalidated BOOLEAN, conrelid BIGINT, contypid BIGINT, conindid BIGINT, conparentid BIGINT, confrelid BIGINT,
  confupdtype VARCHAR, confdeltype VARCHAR, confmatchtype VARCHAR, conislocal BOOLEAN, coninhcount INTEGER, connoinherit BOOLEAN,
  conkey INTEGER ARRAY, confkey INTEGER ARRAY, conbin VARCHAR);
CREATE TABLE pg.pg_proc (oid BIGINT, proname VARCHAR, pronamespace BIGINT, proowner BIGINT, prolang BIGINT, procost DOUBLE PRECISION,
  prorows DOUBLE PRECISION, provariadic BIGINT, prokind VARCHAR, prosecdef BOOLEAN, proleakproof BOOLEAN, proisstrict BOOLEAN,
  proretset BOOLEAN, provolatile VARCHAR, proparallel VARCHAR, pronargs INTEGER, pronargdefaults INTEGER, prorettype BIGINT,
  proargtypes VARCHAR, proallargtypes VARCHAR, proargmodes VARCHAR, proargnames VARCHAR, prosrc VARCHAR, proacl VARCHAR);
INSERT INTO pg.pg_proc (oid, proname, pronamespace, prokind) VALUES (46, 'textin', 11, 'f'), (47, 'textout', 11, 'f'),
  (750, 'array_in', 11, 'f'), (2400, 'array_recv', 11, 'f'), (2414, 'textrecv', 11, 'f'), (2415, 'textsend', 11, 'f');
CREATE TABLE pg.pg_inherits (inhrelid BIGINT, inhparent BIGINT, inhseqno INTEGER, inhdetachpending BOOLEAN);
CREATE TABLE pg.pg_enum (oid BIGINT, enumtypid BIGINT, enumsortorder DOUBLE PRECISION, enumlabel VARCHAR);
CREATE TABLE pg.pg_range (rngtypid BIGINT, rngsubtype BIGINT, rngmultitypid BIGINT, rngcollation BIGINT);
CREATE TABLE pg.pg_extension (oid BIGINT, extname VARCHAR, extowner BIGINT, extnamespace BIGINT, extrelocatable BOOLEAN, extversion VARCHAR);
CREATE TABLE pg.pg_available_extensions (name VARCHAR, default_version VARCHAR, installed_version VARCHAR, comment VARCHAR);
CREATE TABLE pg.pg_trigger (oid BIGINT, tgrelid BIGINT, tgparentid BIGINT, tgname VARCHAR, tgfoid BIGINT, tgtype INTEGER,
  tgenabled VARCHAR, tgisinternal BOOLEAN, tgconstraint BIGINT);
CREATE TABLE pg.pg_rewrite (oid BIGINT, rulename VARCHAR, ev_class BIGINT, ev_type VARCHAR, ev_enabled VARCHAR, is_instead BOOLEAN);
CREATE TABLE pg.pg_policy (oid BIGINT, polname VARCHAR, polrelid BIGINT, polcmd VARCHAR, polpermissive BOOLEAN,
  polroles VARCHAR, polqual VARCHAR, polwithcheck VARCHAR);
CREATE TABLE pg.pg_collation (oid BIGINT, collname VARCHAR, collnamespace BIGINT, collowner BIGINT, collprovider VARCHAR);
CREATE TABLE pg.pg_language (oid BIGINT, lanname VARCHAR, lanowner BIGINT, lanispl BOOLEAN, lanpltrusted BOOLEAN);
CREATE TABLE pg.pg_depend (classid BIGINT, objid BIGINT, objsubid INTEGER, refclassid BIGINT, refobjid BIGINT, refobjsubid INTEGER, deptype VARCHAR);
CREATE TABLE pg.pg_sequence (seqrelid BIGINT, seqtypid BIGINT, seqstart BIGINT, seqincrement BIGINT, seqmax BIGINT, seqmin BIGINT,
  seqcache BIGINT, seqcycle BOOLEAN);
CREATE TABLE pg.pg_partitioned_table (partrelid BIGINT, partstrat VARCHAR, partnatts INTEGER);
CREATE TABLE pg.pg_publication (oid BIGINT, pubname VARCHAR, puballtables BOOLEAN);
CREATE TABLE pg.pg_publication_rel (oid BIGINT, prpubid BIGINT, prrelid BIGINT);
CREATE TABLE pg.pg_statistic_ext (oid BIGINT, stxrelid BIGINT, stxname VARCHAR, stxnamespace BIGINT, stxkind VARCHAR);
CREATE TABLE pg.pg_event_trigger (oid BIGINT, evtname VARCHAR, evtevent VARCHAR, evtowner BIGINT, evtfoid VARCHAR, evtenabled VARCHAR,
  evttags VARCHAR ARRAY);
CREATE TABLE pg.pg_db_role_setting (setdatabase BIGINT, setrole BIGINT, setconfig VARCHAR);
CREATE TABLE pg.pg_operator (oid BIGINT, oprname VARCHAR, oprnamespace BIGINT);
CREATE TABLE pg.pg_cast (oid BIGINT, castsource BIGINT, casttarget BIGINT);
CREATE TABLE pg.pg_aggregate (aggfnoid BIGINT, aggkind VARCHAR);
CREATE TABLE pg.pg_opclass (oid BIGINT, opcname VARCHAR, opcintype BIGINT, opcdefault BOOLEAN);
CREATE TABLE pg.pg_timezone_names (name VARCHAR, abbrev VARCHAR, utc_offset VARCHAR, is_dst BOOLEAN);
CREATE TABLE pg.pg_matviews (schemaname VARCHAR, matviewname VARCHAR, matviewowner VARCHAR);
CREATE TABLE pg.pg_tables (schemaname VARCHAR, tablename VARCHAR, tableowner VARCHAR, tablespace VARCHAR);
CREATE TABLE pg.pg_indexes (schemaname VARCHAR, tablename VARCHAR, indexname VARCHAR, tablespace VARCHAR, indexdef VARCHAR);
CREATE TABLE pg.pg_stat_activity (datid BIGINT, datname VARCHAR, pid INTEGER, usename VARCHAR, application_name VARCHAR,
  client_addr VARCHAR, backend_start TIMESTAMP WITH TIME ZONE, query_start TIMESTAMP WITH TIME ZONE, state VARCHAR, query VARCHAR);
CREATE TABLE pg.pg_stat_gssapi (pid INTEGER, gss_authenticated BOOLEAN, principal VARCHAR, encrypted BOOLEAN);
CREATE TABLE pg.pg_locks (locktype VARCHAR, database BIGINT, relation BIGINT, pid INTEGER, mode VARCHAR, granted BOOLEAN);
CREATE VIEW pg.pg_views AS SELECT n.nspname AS schemaname, c.relname AS viewname, pg.of_current_user() AS viewowner,
  CAST(NULL AS VARCHAR) AS definition FROM pg.pg_class c JOIN pg.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v';

CREATE VIEW info.schemata AS SELECT pg.of_current_database() AS catalog_name, nspname AS schema_name, pg.of_current_user() AS schema_owner
  FROM pg.pg_namespace;
CREATE VIEW info.tables AS SELECT pg.of_current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
  'VIEW' AS table_type FROM pg.pg_class c JOIN pg.pg_namespace n ON n.oid = c.relnamespace;
CREATE VIEW info.views AS SELECT table_catalog, table_schema, table_name, CAST(NULL AS VARCHAR) AS view_definition FROM info.tables;
CREATE VIEW info.columns AS SELECT pg.of_current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
  a.attname AS column_name, a.attnum AS ordinal_position, CAST(NULL AS VARCHAR) AS column_default, 'YES' AS is_nullable,
  pg.of_format_type(a.atttypid, -1) AS data_type, t.typname AS udt_name
  FROM pg.pg_attribute a JOIN pg.pg_class c ON c.oid = a.attrelid JOIN pg.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg.pg_type t ON t.oid = a.atttypid;
