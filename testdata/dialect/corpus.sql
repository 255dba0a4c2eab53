ALTER TABLE lake.ops.unpartitioned WRITE ORDERED BY grp, id DESC NULLS LAST
SHOW TBLPROPERTIES lake.ops.unpartitioned
ALTER TABLE lake.ops.unpartitioned WRITE LOCALLY ORDERED BY id
ALTER TABLE lake.ops.unpartitioned WRITE DISTRIBUTED BY PARTITION
ALTER TABLE lake.ops.unpartitioned WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY grp
ALTER TABLE lake.ops.unpartitioned WRITE UNORDERED
ALTER TABLE lake.ops.unpartitioned WRITE ORDERED BY nope
ALTER TABLE lake.ops.unpartitioned WRITE ORDERED BY bucket(4, id), truncate(grp, 2)
ALTER TABLE lake.ops.unpartitioned WRITE
ALTER TABLE lake.ops.branches CREATE BRANCH b1
ALTER TABLE lake.ops.branches CREATE BRANCH IF NOT EXISTS b1
ALTER TABLE lake.ops.branches CREATE OR REPLACE BRANCH b1 AS OF VERSION 5140173852248754059
ALTER TABLE lake.ops.branches CREATE BRANCH b2 AS OF VERSION 5140173852248754059 RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS
ALTER TABLE lake.ops.branches CREATE BRANCH b3 RETAIN 12 HOURS WITH SNAPSHOT RETENTION 5 DAYS
ALTER TABLE lake.ops.branches CREATE BRANCH b4 AS OF VERSION 12345
ALTER TABLE lake.ops.branches CREATE TAG t1
ALTER TABLE lake.ops.branches CREATE TAG IF NOT EXISTS t1 AS OF VERSION 5140173852248754059 RETAIN 3 MINUTES
ALTER TABLE lake.ops.branches REPLACE TAG t1 AS OF VERSION 5140173852248754059 RETAIN 3 MINUTES
ALTER TABLE lake.ops.branches REPLACE BRANCH b1 AS OF VERSION 6397970773387631790
ALTER TABLE lake.ops.branches REPLACE BRANCH nope
ALTER TABLE lake.ops.branches DROP BRANCH b2
ALTER TABLE lake.ops.branches DROP BRANCH IF EXISTS b2
ALTER TABLE lake.ops.branches DROP TAG t1
ALTER TABLE lake.ops.branches DROP TAG b1
ALTER TABLE lake.ops.branches DROP BRANCH main
ALTER TABLE lake.ops.branches DROP BRANCH v1
ALTER TABLE lake.ops.branches CREATE BRANCH main
ALTER TABLE lake.ops.branches CREATE BRANCH `with space`
SELECT * FROM lake.ops.branches.refs ORDER BY name
ALTER TABLE lake.ops.chain ADD COLUMN extra string COMMENT 'e' FIRST
ALTER TABLE lake.ops.chain ADD COLUMNS (x int, y struct<a: int> AFTER id)
ALTER TABLE lake.ops.chain RENAME COLUMN x TO xx
ALTER TABLE lake.ops.chain ALTER COLUMN xx TYPE bigint
ALTER TABLE lake.ops.chain ALTER COLUMN xx TYPE int
ALTER TABLE lake.ops.chain ALTER COLUMN id COMMENT 'the id'
ALTER TABLE lake.ops.chain ALTER COLUMN id SET NOT NULL
ALTER TABLE lake.ops.chain DROP COLUMN y.a
ALTER TABLE lake.ops.chain DROP COLUMN grp
ALTER TABLE lake.ops.chain DROP COLUMN nope
ALTER TABLE lake.ops.chain ADD COLUMN id int
DESCRIBE lake.ops.chain
SELECT * FROM lake.ops.chain ORDER BY id LIMIT 2
ALTER TABLE lake.ops.chain ADD PARTITION FIELD bucket(4, id) AS shard
ALTER TABLE lake.ops.chain REPLACE PARTITION FIELD shard WITH truncate(10, id)
ALTER TABLE lake.ops.chain DROP PARTITION FIELD grp
ALTER TABLE lake.ops.chain DROP PARTITION FIELD nope
ALTER TABLE lake.ops.chain ADD PARTITION FIELD truncate(10, id)
ALTER TABLE lake.ops.chain SET IDENTIFIER FIELDS id
SELECT * FROM lake.ops.chain.partitions LIMIT 1
SHOW CREATE TABLE lake.ops.chain
INSERT INTO lake.ops.chain VALUES (1, 'n', 2.0)
INSERT INTO lake.ops.chain VALUES (1, 'n')
INSERT INTO lake.ops.chain (grp, id) VALUES ('only', 5)
INSERT INTO lake.ops.chain VALUES ('x', 'n', 2.0)
DELETE FROM lake.ops.chain WHERE grp = 'g1'
DELETE FROM lake.ops.chain WHERE nope = 1
UPDATE lake.ops.chain SET val = val + 1 WHERE id < 3
DELETE FROM lake.ops.chain
TRUNCATE TABLE lake.ops.chain
INSERT OVERWRITE lake.ops.chain VALUES (7, 'z', 7.0)
DELETE FROM lake.ops.chain.files
INSERT INTO lake.ops.chain.files VALUES (1)
CREATE NAMESPACE lake.newns COMMENT 'c'
CREATE NAMESPACE lake.newns
CREATE NAMESPACE IF NOT EXISTS lake.newns
CREATE TABLE lake.newns.t (id int) USING iceberg
CREATE TABLE IF NOT EXISTS lake.newns.t (id int)
CREATE TABLE lake.newns.ctas USING iceberg PARTITIONED BY (grp) AS SELECT * FROM lake.ops.unpartitioned
CREATE OR REPLACE TABLE lake.newns.ctas AS SELECT 1 AS a
ALTER TABLE lake.newns.t RENAME TO newns.t2
ALTER TABLE lake.newns.t RENAME TO lake.newns.t2
SHOW TABLES IN lake.newns
DROP NAMESPACE lake.newns
DROP TABLE lake.newns.t2
DROP TABLE IF EXISTS lake.newns.t2
DROP TABLE lake.newns.ctas PURGE
DESCRIBE NAMESPACE lake.newns
DROP VIEW lake.analytics.v_mor
SHOW VIEWS IN lake.analytics
CREATE VIEW lake.analytics.v_orders AS SELECT 1
ALTER VIEW lake.analytics.v_orders SET TBLPROPERTIES ('k'='v')
CREATE OR REPLACE VIEW lake.analytics.v_orders AS SELECT 1 AS one
SELECT * FROM lake.analytics.v_orders
CALL lake.system.expire_snapshots('ops.chain')
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 3)
SELECT is_current_ancestor FROM lake.ops.chain.history
CALL lake.system.expire_snapshots(table => 'ops.chain', retain_last => -1)
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP '2026-11-30 03:34:41.761')
CALL lake.system.expire_snapshots(table => 'ops.chain', snapshot_ids => ARRAY(4808856759168750933, 7313706738630988161))
CALL lake.system.expire_snapshots(table => 'ops.chain', snapshot_ids => ARRAY(12345L))
CALL lake.system.expire_snapshots(table => 'ops.chain', snapshot_ids => ARRAY(188817371971661744), older_than => TIMESTAMP '2026-11-30 03:34:39.212')
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP '2100-01-01 00:00:00', stream_results => true)
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP '2100-01-01 00:00:00', max_concurrent_deletes => 4)
CALL lake.system.expire_snapshots(table => 'ops.chain', max_concurrent_deletes => 0)
ALTER TABLE lake.ops.chain SET TBLPROPERTIES ('gc.enabled'='false')
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP '2100-01-01 00:00:00')
SELECT name, type FROM lake.ops.branches.refs ORDER BY name
SELECT count(*) FROM lake.ops.branches VERSION AS OF 'bad-load'
CALL lake.system.expire_snapshots(table => 'ops.branches', snapshot_ids => ARRAY(5140173852248754059))
CALL lake.system.expire_snapshots(table => 'analytics.evolved', older_than => TIMESTAMP '2100-01-01 00:00:00', clean_expired_metadata => true)
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('rewrite-all', 'true'))
CALL lake.system.compute_table_stats('tutorial.retail_clickstream_events')
INSERT INTO lake.tutorial.retail_clickstream_events (event_id) VALUES ('x')
CALL lake.system.rewrite_data_files('ops.unpartitioned')
CALL lake.system.rewrite_data_files('ops.unpartitioned', 'binpack')
CALL lake.system.rewrite_data_files('ops.unpartitioned', 'sort', 'id DESC')
CALL lake.system.rewrite_data_files('ops.unpartitioned', 'sort', 'id DESC', map('rewrite-all', 'true'), 'id > 3', 'main')
CALL lake.system.rewrite_data_files('ops.unpartitioned', table => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', table => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', TABLE => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(tables => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', nope => 1)
CALL lake.system.rewrite_data_files()
CALL lake.system.rewrite_data_files(strategy => 'sort')
CALL lake.system.rewrite_data_files(table => 5)
CALL lake.system.rewrite_data_files(table => '')
CALL lake.system.rewrite_data_files(table => true)
CALL lake.system.rewrite_data_files(table => array('a'))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', options => map(1, 2))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', options => array('a'))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', options => map('a'))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', where => 1)
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', where => id > 3)
CALL lake.system.rewrite_data_files(table => ops.unpartitioned)
CALL lake.system.rewrite_data_files(table => concat('ops.', 'unpartitioned'))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', options => map('min-input-files', 1 + 1))
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned', options => map('min-input-files', CAST(2 AS STRING)))
call lake.system.rewrite_data_files(table => 'ops.unpartitioned')
CALL lake.SYSTEM.Rewrite_Data_Files(Table => 'ops.unpartitioned')
CALL `lake`.`system`.`rewrite_data_files`(`table` => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned',)
CALL lake.system.rewrite_data_files table => 'ops.unpartitioned'
CALL lake.rewrite_data_files(table => 'ops.unpartitioned')
CALL rewrite_data_files(table => 'ops.unpartitioned')
CALL nope.system.rewrite_data_files(table => 'ops.unpartitioned')
CALL lake.nope.rewrite_data_files(table => 'ops.unpartitioned')
CALL lake.system.nope(table => 'ops.unpartitioned')
SELECT * FROM lake.system.rewrite_data_files(table => 'ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => 'lake.ops.unpartitioned')
CALL lake.system.rewrite_data_files(table => '`lake`.`ops`.`unpartitioned`')
CALL lake.system.rewrite_data_files(table => 'spark_catalog.default.t')
CALL lake.system.rewrite_data_files(table => 'ops.chain.snapshot_id_4808856759168750933'.x)
CALL lake.system.rewrite_data_files(table => 'ops..chain')
CALL lake.system.rewrite_data_files(table => 'ops.ch ain')
CALL lake.system.rewrite_data_files(table => 's3://lake/wh/ops/chain')
CALL lake.system.expire_snapshots('ops.chain', TIMESTAMP '2020-01-01 00:00:00', 3)
CALL lake.system.expire_snapshots('ops.chain', '2020-01-01')
CALL lake.system.expire_snapshots('ops.chain', DATE'2020-01-01')
CALL lake.system.expire_snapshots('ops.chain', '2020-01-01 00:00:00.000', '3')
CALL lake.system.expire_snapshots('ops.chain', 1577836800000)
CALL lake.system.expire_snapshots(table => 'ops.chain', retain_last => 'three')
CALL lake.system.expire_snapshots(table => 'ops.chain', retain_last => 3L)
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => TIMESTAMP'2020-01-01 00:00:00 America/New_York')
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => current_timestamp() - INTERVAL 10 YEARS)
CALL lake.system.expire_snapshots(table => 'ops.chain', older_than => now() - interval '3650' day)
CALL lake.system.expire_snapshots(table => 'ops.chain', stream_results => 'true')
CALL lake.system.expire_snapshots(table => 'ops.chain', stream_results => 1)
CALL lake.system.expire_snapshots(table => 'ops.chain', snapshot_ids => array())
CALL lake.system.rollback_to_snapshot('ops.chain', 1)
CALL lake.system.rollback_to_snapshot('ops.chain', '1')
CALL lake.system.rollback_to_snapshot('ops.chain')
CALL lake.system.rollback_to_snapshot(snapshot_id => 1, table => 'ops.chain')
CALL lake.system.rollback_to_snapshot('ops.chain', NULL)
EXPLAIN CALL lake.system.rewrite_data_files(table => 'ops.chain')
DESCRIBE PROCEDURE lake.system.rewrite_data_files
SHOW PROCEDURES IN lake.system
CALL lake.system.remove_orphan_files('ops.orphans')
CALL lake.system.remove_orphan_files(table => 'ops.orphans', older_than => TIMESTAMP '2100-01-01 00:00:00')
CALL lake.system.remove_orphan_files(table => 'ops.orphans', older_than => now())
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3://lake/wh/ops/orphans/data', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3://lake/wh/ops/orphans/data/', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3://lake/wh/ops/unpartitioned', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3://lake/wh/ops/nope', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3a://lake/wh/ops/orphans', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', location => 's3a://lake/wh/ops/orphans', equal_schemes => map('s3a', 's3'), dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', equal_schemes => map('s3a,s3,s3n', 's3'), equal_authorities => map('lake2', 'lake'), dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', prefix_mismatch_mode => 'ignore', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', prefix_mismatch_mode => 'nope', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', prefix_listing => true, dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', prefix_listing => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', stream_results => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', stream_results => true, dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', max_concurrent_deletes => 0)
CALL lake.system.remove_orphan_files(table => 'ops.orphans')
CREATE OR REPLACE TEMPORARY VIEW listed AS SELECT * FROM VALUES ('s3://lake/wh/ops/orphans/data/listed-only.parquet', TIMESTAMP'2026-01-01 00:00:00'), ('s3://lake/wh/ops/orphans/data/new.parquet', TIMESTAMP'2099-01-01 00:00:00') AS t(file_path, last_modified)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'listed', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'nope', dry_run => true)
CREATE OR REPLACE TEMPORARY VIEW l2 AS SELECT regexp_replace(file_path, '^s3:', 's3a:') AS file_path, TIMESTAMP'2026-01-01 00:00:00' AS last_modified FROM lake.ops.orphans.files
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l2', dry_run => true)
CREATE OR REPLACE TEMPORARY VIEW l3 AS SELECT regexp_replace(file_path, '^s3:', 'gs:') AS file_path, TIMESTAMP'2026-01-01 00:00:00' AS last_modified FROM lake.ops.orphans.files
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', prefix_mismatch_mode => 'IGNORE', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', prefix_mismatch_mode => 'DELETE', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', equal_schemes => map('gs', 's3'), dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', location => 'gs://lake/wh/ops/orphans', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', location => 'gs://lake/wh/ops/orphans', prefix_mismatch_mode => 'IGNORE', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', location => 'gs://lake/wh/ops/orphans', prefix_mismatch_mode => 'delete', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l3', location => 'gs://lake/wh/ops/orphans', equal_schemes => map('gs', 's3'), dry_run => true)
CREATE OR REPLACE TEMPORARY VIEW l5 AS SELECT regexp_replace(file_path, '^s3://lake', 's3://pond') AS file_path, TIMESTAMP'2026-01-01 00:00:00' AS last_modified FROM lake.ops.orphans.files
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l5', location => 's3://pond/wh/ops/orphans', dry_run => true)
CALL lake.system.remove_orphan_files(table => 'ops.orphans', file_list_view => 'l5', location => 's3://pond/wh/ops/orphans', equal_authorities => map('pond', 'lake'), dry_run => true)
CREATE OR REPLACE TEMPORARY VIEW l4 AS SELECT 1 AS x
SELECT partition, COUNT(*) AS file_count FROM lake.tutorial.retail_clickstream_events.files WHERE content = 0 GROUP BY partition ORDER BY file_count DESC
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time >= TIMESTAMP \'2026-01-09 00:00:00\' AND event_time < TIMESTAMP \'2026-01-10 00:00:00\'')
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-input-files', '2'))
CALL lake.system.rewrite_data_files(table => "tutorial.retail_clickstream_events", where => "event_time >= '2026-01-09' and event_time < '2026-01-10'")
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type = ''purchase''', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time >= \'2026-01-09 00:00:00 UTC\' AND event_time < \'2026-01-10 00:00:00 UTC\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'date(event_time) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'date(event_time) = \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'CAST(event_time AS DATE) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'to_date(event_time) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'date_trunc(\'DAY\', event_time) = TIMESTAMP \'2026-01-09 00:00:00\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time BETWEEN TIMESTAMP \'2026-01-09\' AND TIMESTAMP \'2026-01-09 23:59:59.999999\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'lake.system.days(event_time) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'system.days(event_time) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'days(event_time) = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time_day = DATE \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type = \'purchase\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type = "purchase"', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type IN (\'purchase\', \'checkout\') AND user_id > 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type NOT IN (\'purchase\')', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type LIKE \'pur%\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_type LIKE \'%pur%\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'price IS NULL', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'price IS NOT NULL', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'NOT (user_id = 3)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id <=> 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id != 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'USER_ID = 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => '`user_id` = 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = \'3\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = 3.5', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'price > 100', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'price > 100.005', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id + 1 = 5', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = 2 + 1', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = ingest_batch', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => '1 = 1', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'true', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'false', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time >= current_date() - INTERVAL 1 DAY', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time < current_timestamp()', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time = TIMESTAMP \'2026-01-09 02:00:00\' OR user_id = 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'ingest_batch = 1000', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time >=', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => '', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => '   ', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'nope = 1', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = 3; DROP TABLE x', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'retail_clickstream_events.user_id = 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => '_file LIKE \'%x%\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id BETWEEN 1 AND 3', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id IN (1, NULL)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'user_id = NULL', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time = \'2026-01-09\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time > \'not a time\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'startswith(event_type, \'pur\')', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', where => 'event_time >= DATE \'2026-01-09\' AND event_time < DATE \'2026-01-10\'', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('REWRITE-ALL', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('rewrite-all', 'TRUE'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('rewrite-all', true))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('max-file-group-input-files', '2', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('max-files-to-rewrite', '2'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('rewrite-job-order', 'BYTES-DESC', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('rewrite-job-order', 'nope', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('partial-progress.enabled', 'true', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('partial-progress.enabled', 'true', 'partial-progress.max-commits', '0'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('partial-progress.enabled', 'true', 'partial-progress.max-failed-commits', '1', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('partial-progress.max-failed-commits', '1', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('max-concurrent-file-group-rewrites', '0'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-input-files', '-1'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-input-files', 'two'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-file-size-bytes', '-1'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-file-size-bytes', '900000000'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('max-file-size-bytes', '1'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('max-file-group-size-bytes', '0'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('delete-file-threshold', '-1'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('delete-ratio-threshold', '2.0'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('delete-ratio-threshold', '0'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('no-such-option', '1'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('no-such-option', '1', 'another', '2'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('output-spec-id', '0', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('output-spec-id', '9'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('shuffle-partitions-per-file', '2', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('compression-factor', '2.0', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('remove-dangling-deletes', 'true', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('min-input-files', NULL))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map('openhouse', 'x'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.sized', options => map('target-file-size-bytes', '100000', 'rewrite-all', 'true'))
SELECT k, file_size_in_bytes > 0, record_count FROM (SELECT partition.k AS k, * FROM lake.lakehouse.sized.files) ORDER BY 1, 3 DESC
CALL lake.system.rewrite_data_files(table => 'lakehouse.sized', options => map('min-file-size-bytes', '1', 'max-file-size-bytes', '900000000'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.sized', options => map('max-file-group-size-bytes', '40000', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.sized', options => map('target-file-size-bytes', '50000', 'max-file-group-size-bytes', '80000', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => map())
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', options => NULL)
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'binpack', options => map('rewrite-all', 'true'))
SELECT partition.event_time_day AS d, sort_order_id, record_count FROM lake.tutorial.retail_clickstream_events.files ORDER BY 1, 3
SELECT _pos, user_id, event_time, price FROM lake.tutorial.retail_clickstream_events WHERE event_time >= TIMESTAMP'2026-01-09' AND event_time < TIMESTAMP'2026-01-10' ORDER BY _file, _pos
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'BINPACK', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'user_id', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'SORT', sort_order => 'user_id ASC', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'user_id DESC NULLS FIRST, event_time ASC', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'price ASC NULLS LAST, event_id DESC NULLS LAST', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'PRICE desc nulls first', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', sort_order => 'user_id', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'binpack', sort_order => 'user_id', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'zorder(user_id, event_time)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', sort_order => 'zorder(user_id,event_type)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'event_time, zorder(user_id)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'zorder()', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'zorder(nope)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'zorder(user_id, user_id)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => '', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'hours(event_time) DESC', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'truncate(2, event_type)', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'user_id + 1', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'user_id user_id', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'zorder(user_id, event_type)', options => map('rewrite-all', 'true', 'max-output-size', '128', 'var-length-contribution', '16'))
CALL lake.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'sort', sort_order => 'user_id', options => map('rewrite-all', 'true', 'var-length-contribution', '16'))
SELECT sort_order_id, record_count FROM lake.ops.sorted.files
SELECT _pos, grp, val FROM lake.ops.sorted ORDER BY _file, _pos
CALL lake.system.rewrite_data_files(table => 'ops.sorted', sort_order => 'id DESC', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'ops.sorted', sort_order => 'grp ASC NULLS LAST, val DESC NULLS LAST', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'ops.branches', branch => 'dev', options => map('rewrite-all', 'true'))
SELECT * FROM lake.ops.branches.branch_dev ORDER BY id
SELECT count(*) FROM lake.ops.branches.files
SELECT count(*) FROM lake.ops.branches.files VERSION AS OF 'dev'
CALL lake.system.rewrite_data_files(table => 'ops.branches', branch => 'main', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'ops.branches', branch => 'nope')
CALL lake.system.rewrite_data_files(table => 'ops.branches', branch => 'v1')
CALL lake.system.rewrite_data_files(table => 'ops.branches.branch_dev', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.order_events', options => map('partial-progress.enabled', 'true', 'partial-progress.max-commits', '3', 'max-concurrent-file-group-rewrites', '2', 'min-input-files', '2'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.order_events', where => 'event_time < TIMESTAMP "2026-02-03 00:00:00" AND customer_id = 7', options => map('min-input-files', '2'))
CALL lake.system.rewrite_data_files(table => 'lakehouse.order_events', where => 'lake.system.bucket(4, customer_id) = 1', options => map('min-input-files', '2'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_mor', options => map('delete-file-threshold', '2'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_mor', options => map('remove-dangling-deletes', 'true'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_mor', options => map('remove-dangling-deletes', 'true', 'delete-file-threshold', '1'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_mor', options => map('use-starting-sequence-number', 'false', 'rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_eq', options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true', 'partial-progress.enabled', 'true'))
CALL lake.system.rewrite_data_files(table => 'analytics.events_mor', where => 'id < 60', options => map('delete-file-threshold', '1'))
CALL lake.system.rewrite_data_files(table => 'analytics.evolved', options => map('rewrite-all', 'true', 'output-spec-id', '0'))
CALL lake.system.rewrite_data_files(table => 'analytics.evolved', where => 'full_name = "one"', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'analytics.evolved', where => '`Weird Col-1.x` = "weird"', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_data_files(table => 'analytics.evolved', where => 'info.a = 1', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_manifests('ops.many_manifests')
CALL lake.system.rewrite_manifests('ops.many_manifests', false)
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', use_caching => true)
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', use_caching => NULL)
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', spec_id => 99)
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', spec_id => -1)
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', sort_by => array('nope'))
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', sort_by => array('id'))
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', sort_by => array())
CALL lake.system.rewrite_manifests(table => 'ops.many_manifests', sort_by => 'grp')
CALL lake.system.rewrite_manifests(table => 'lakehouse.order_events', sort_by => array('customer_id_bucket', 'event_time_day'))
CALL lake.system.rewrite_manifests(table => 'lakehouse.order_events')
CALL lake.system.rewrite_position_delete_files('analytics.events_dv')
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('min-input-files', '2'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('partial-progress.enabled', 'true', 'rewrite-all', 'true'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('rewrite-job-order', 'bytes-asc', 'rewrite-all', 'true'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('max-concurrent-file-group-rewrites', '2', 'rewrite-all', 'true'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', options => map('no-such-option', '1'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.mor_upgraded', options => map('delete-file-threshold', '1'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', where => "category = 'c'", options => map('rewrite-all', 'true'))
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', where => 'nope > 10')
CALL lake.system.rewrite_position_delete_files(table => 'analytics.events_mor', where => 'id >')
CALL lake.system.rollback_to_timestamp('ops.chain', TIMESTAMP '2026-11-30 03:34:41.451')
CALL lake.system.rollback_to_timestamp(table => 'ops.chain', timestamp => TIMESTAMP '2020-01-01 00:00:00')
CALL lake.system.rollback_to_timestamp('ops.empty', now())
CALL lake.system.rollback_to_timestamp('ops.chain', '2026-11-30 03:34:41.451')
CALL lake.system.set_current_snapshot('ops.branches', 7414029397067835129)
CALL lake.system.set_current_snapshot(table => 'ops.branches', ref => 'v1')
CALL lake.system.set_current_snapshot(table => 'ops.branches', ref => 'dev')
CALL lake.system.set_current_snapshot(table => 'ops.branches', ref => 'nope')
CALL lake.system.set_current_snapshot(table => 'ops.branches')
CALL lake.system.set_current_snapshot(table => 'ops.branches', snapshot_id => 1, ref => 'v1')
CALL lake.system.cherrypick_snapshot('ops.branches', 6397970773387631790)
CALL lake.system.publish_changes('ops.branches', 'wap-1')
CALL lake.system.publish_changes(table => 'ops.branches', wap_id => 'wap-2')
CALL lake.system.publish_changes('ops.branches', 'nope')
CALL lake.system.publish_changes('ops.branches')
CALL lake.system.fast_forward('ops.branches', 'main', 'dev')
CALL lake.system.fast_forward(table => 'ops.branches', branch => 'old', to => 'main')
CALL lake.system.fast_forward('ops.branches', 'old', 'main')
CALL lake.system.fast_forward('ops.branches', 'audit', 'main')
CALL lake.system.fast_forward('ops.branches', 'main', 'audit')
CALL lake.system.fast_forward('ops.branches', 'v1', 'main')
CALL lake.system.fast_forward('ops.branches', 'old', 'v1')
CALL lake.system.ancestors_of('ops.chain')
CALL lake.system.ancestors_of('ops.branches', 6397970773387631790)
CALL lake.system.ancestors_of(table => 'ops.branches', snapshot_id => 7414029397067835129)
CALL lake.system.ancestors_of(snapshot_id => 1)
CALL lake.system.register_table('ops.registered', 's3://lake/wh/ops/chain/metadata/00015-aad2be52-a8e6-4984-8fd4-c7feb407fcc5.metadata.json')
SELECT count(*) FROM lake.ops.registered
CALL lake.system.register_table(table => 'ops.r2', metadata_file => 's3://lake/wh/nope.metadata.json')
CALL lake.system.register_table(table => 'ops.r3', metadata_file => '')
CALL lake.system.register_table(table => 'ops.r4', metadata_file => 's3://lake/wh/ops/empty/metadata/00000-1330f659-821b-4fb7-b012-20342c84ee37.metadata.json')
CALL lake.system.register_table(table => 'ops.r5')
INSERT OVERWRITE DIRECTORY 's3://lake/import/p' USING parquet SELECT id, grp, val FROM lake.ops.unpartitioned WHERE id < 10
CALL lake.system.add_files(table => 'ops.unpartitioned', source_table => '`parquet`.`s3://lake/import/p`')
CALL lake.system.add_files(table => 'ops.unpartitioned', source_table => '`parquet`.`s3://lake/import/p`', check_duplicate_files => false)
CALL lake.system.add_files(table => 'ops.unpartitioned', source_table => '`parquet`.`s3://lake/import/nope`')
CALL lake.system.add_files(table => 'ops.unpartitioned', source_table => 'nope')
CALL lake.system.add_files(table => 'ops.unpartitioned', source_table => '`json`.`s3://lake/import/p`')
CALL lake.system.add_files('ops.unpartitioned')
CREATE TABLE spark_catalog.default.src_part USING parquet PARTITIONED BY (grp) LOCATION 's3://lake/import/part' AS SELECT id, val, grp FROM lake.ops.unpartitioned
CALL lake.system.add_files(table => 'ops.chain', source_table => 'spark_catalog.default.src_part', partition_filter => map('grp', 'g1'))
CALL lake.system.add_files(table => 'ops.chain', source_table => '`parquet`.`s3://lake/import/part`', partition_filter => map('grp', 'g2'), parallelism => 2)
CALL lake.system.add_files(table => 'ops.chain', source_table => '`parquet`.`s3://lake/import/part`', partition_filter => map('nope', 'g2'))
CALL lake.system.add_files(table => 'ops.chain', source_table => '`parquet`.`s3://lake/import/part`', partition_filter => map('grp', 'none'))
DROP TABLE spark_catalog.default.src_part
CREATE TABLE spark_catalog.default.src_snap USING parquet AS SELECT id, grp, val FROM lake.ops.unpartitioned
CALL spark_catalog.system.snapshot('spark_catalog.default.src_snap', 'default.snapped')
SELECT count(*) FROM spark_catalog.default.snapped
CALL spark_catalog.system.snapshot(source_table => 'default.src_snap', table => 'default.snapped')
CALL lake.system.snapshot('spark_catalog.default.src_snap', 'ops.snapped')
CALL lake.system.snapshot('ops.chain', 'ops.snapped2')
CALL lake.system.snapshot('nope', 'ops.snapped3')
DROP TABLE IF EXISTS spark_catalog.default.snapped
DROP TABLE IF EXISTS spark_catalog.default.src_snap
CALL lake.system.create_changelog_view(table => 'analytics.events_mor', changelog_view => 'cm')
SELECT count(*) FROM cm
CALL lake.system.create_changelog_view(table => 'analytics.events_dv', changelog_view => 'cd')
SELECT count(*) FROM cd
CALL lake.system.compute_table_stats(table => 'tutorial.retail_clickstream_events', columns => array('user_id', 'price'))
CALL lake.system.compute_table_stats(table => 'tutorial.retail_clickstream_events', snapshot_id => 5169627154348416983)
CALL lake.system.compute_table_stats(table => 'tutorial.retail_clickstream_events', columns => array('nope'))
CALL lake.system.rewrite_table_path(table => 'analytics.events_mor', source_prefix => 's3://lake/wh/analytics', target_prefix => 's3://lake/wh/moved')
SHOW CATALOGS
SHOW NAMESPACES IN lake
SHOW NAMESPACES IN lake LIKE '*o*'
SHOW TABLES IN lake.ops
SHOW TABLES IN lake.ops LIKE 'tr_*'
SHOW TABLES IN lake.analytics
SHOW TABLES IN lake.nope
DESCRIBE NAMESPACE lake.ops
DESCRIBE NAMESPACE EXTENDED lake.ops
SHOW COLUMNS IN lake.tutorial.retail_clickstream_events
DESCRIBE lake.tutorial.retail_clickstream_events price
DESCRIBE lake.tutorial.retail_clickstream_events.files
SHOW TBLPROPERTIES lake.analytics.events_mor ('write.delete.mode')
SHOW TBLPROPERTIES lake.analytics.events_mor ('no.such.key')
SHOW PARTITIONS lake.tutorial.retail_clickstream_events
SHOW TABLE EXTENDED IN lake.ops LIKE 'chain'
SELECT partition.event_time_day, count(*) FROM lake.tutorial.retail_clickstream_events.data_files GROUP BY 1 HAVING count(*) >= 3 ORDER BY 2 DESC, 1
SELECT * FROM lake.tutorial.retail_clickstream_events.partitions ORDER BY partition.event_time_day
SELECT partition, file_count, record_count FROM lake.lakehouse.order_events.partitions ORDER BY file_count DESC, partition LIMIT 5
SELECT committed_at, snapshot_id, operation, summary['added-data-files'] AS added, summary['total-data-files'] AS total FROM lake.tutorial.retail_clickstream_events.snapshots ORDER BY committed_at
SELECT h.made_current_at, s.operation, h.snapshot_id, h.is_current_ancestor, s.summary['added-records'] FROM lake.tutorial.retail_clickstream_events.history h JOIN lake.tutorial.retail_clickstream_events.snapshots s ON h.snapshot_id = s.snapshot_id ORDER BY made_current_at
SELECT h.made_current_at, s.operation, h.is_current_ancestor FROM lake.ops.branches.history h JOIN lake.ops.branches.snapshots s USING (snapshot_id) ORDER BY 1
SELECT path, length, partition_spec_id, added_data_files_count, existing_data_files_count, partition_summaries FROM lake.tutorial.retail_clickstream_events.manifests ORDER BY path
SELECT COUNT(*), SUM(length), AVG(added_data_files_count + existing_data_files_count) FROM lake.ops.many_manifests.manifests
SELECT m.path, ps.contains_null, ps.lower_bound, ps.upper_bound FROM lake.ops.tr_hours.manifests m LATERAL VIEW explode(m.partition_summaries) x AS ps ORDER BY 1
SELECT content, COUNT(*), SUM(record_count) FROM lake.analytics.events_mor.files GROUP BY content ORDER BY content
SELECT file_path, pos, partition FROM lake.analytics.events_mor.position_deletes ORDER BY file_path, pos LIMIT 5
SELECT readable_metrics.id.lower_bound, readable_metrics.id.upper_bound, readable_metrics.amount.nan_value_count FROM lake.analytics.events_mor.files WHERE content = 0 ORDER BY 1, 2
SELECT min(readable_metrics.event_time.lower_bound), max(readable_metrics.event_time.upper_bound) FROM lake.tutorial.retail_clickstream_events.files
SELECT lower_bounds[2], hex(upper_bounds[2]), map_keys(value_counts) FROM lake.tutorial.retail_clickstream_events.files ORDER BY file_path LIMIT 2
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events.files WHERE partition = named_struct('event_time_day', DATE'2026-01-09')
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events.files WHERE partition.event_time_day >= '2026-01-09'
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events.files WHERE partition.event_time_day IN (DATE'2026-01-08', DATE'2026-01-10')
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events.files WHERE partition.nope = 1
SELECT nope FROM lake.tutorial.retail_clickstream_events.files
SELECT * FROM lake.tutorial.retail_clickstream_events.nope
SELECT * FROM lake.tutorial.retail_clickstream_events.FILES WHERE content = 9
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events.files f WHERE f.file_size_in_bytes < 1024 * 1024 * 64
SELECT status, snapshot_id, sequence_number, file_sequence_number, data_file.record_count FROM lake.ops.chain.all_entries ORDER BY 3, 4, 1, 5, 2
SELECT date(committed_at) = current_date(), count(*) FROM lake.lakehouse.order_events.snapshots WHERE committed_at > TIMESTAMP'2026-01-01' GROUP BY 1
SELECT size(summary), operation FROM lake.tutorial.retail_clickstream_events.snapshots LIMIT 1
SELECT event_type, COUNT(*), COUNT(DISTINCT user_id), SUM(price), AVG(price) FROM lake.tutorial.retail_clickstream_events GROUP BY event_type ORDER BY event_type
SELECT date_trunc('day', event_time) d, count(*) FROM lake.tutorial.retail_clickstream_events WHERE event_time >= TIMESTAMP'2026-01-09' AND event_time < TIMESTAMP'2026-01-10' GROUP BY 1
SELECT COUNT(*) FROM lake.tutorial.retail_clickstream_events WHERE price IS NULL OR price < 10.5
DESCRIBE TABLE lake.`analytics`.`events_dv`
DESCRIBE TABLE EXTENDED lake.`analytics`.`events_dv`
SELECT *, _file, _pos, _deleted, _spec_id, _partition FROM lake.`analytics`.`events_dv`
SELECT * FROM lake.`analytics`.`events_dv`.history
SELECT * FROM lake.`analytics`.`events_dv`.snapshots
SELECT * FROM lake.`analytics`.`events_dv`.metadata_log_entries
SELECT * FROM lake.`analytics`.`events_dv`.manifests
SELECT * FROM lake.`analytics`.`events_dv`.all_manifests
SELECT * FROM lake.`analytics`.`events_dv`.entries
SELECT * FROM lake.`analytics`.`events_dv`.all_entries
SELECT * FROM lake.`analytics`.`events_dv`.files
SELECT * FROM lake.`analytics`.`events_dv`.data_files
SELECT * FROM lake.`analytics`.`events_dv`.delete_files
SELECT * FROM lake.`analytics`.`events_dv`.all_files
SELECT * FROM lake.`analytics`.`events_dv`.all_data_files
SELECT * FROM lake.`analytics`.`events_dv`.all_delete_files
SELECT * FROM lake.`analytics`.`events_dv`.partitions
SELECT * FROM lake.`analytics`.`events_dv`.refs
SELECT * FROM lake.`analytics`.`events_dv`.position_deletes
SELECT * FROM lake.`analytics`.`events_dv` VERSION AS OF 2670265539430631243
SELECT * FROM lake.`analytics`.`events_dv` TIMESTAMP AS OF '2026-11-30 03:34:14.902000'
SELECT * FROM lake.`analytics`.`events_dv` TIMESTAMP AS OF '2020-01-01 00:00:00'
SELECT * FROM lake.`analytics`.`events_dv` TIMESTAMP AS OF 1796009655
SELECT * FROM lake.`analytics`.`events_dv` FOR SYSTEM_VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv` FOR SYSTEM_TIME AS OF '2026-11-30 03:34:14.902000'
SELECT * FROM lake.`analytics`.`events_dv`.snapshot_id_8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv`.at_timestamp_1796009654902
SELECT * FROM lake.`analytics`.`events_dv`.files VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv`.manifests VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv`.entries VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv`.partitions VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv`.snapshots VERSION AS OF 8312183489298268855
SELECT * FROM lake.`analytics`.`events_dv` VERSION AS OF 'nope'
SELECT * FROM lake.`analytics`.`events_dv` VERSION AS OF 'main'
SELECT * FROM lake.`analytics`.`events_dv`.branch_main
SELECT *, _row_id, _last_updated_sequence_number FROM lake.`analytics`.`events_dv`
SELECT * FROM lake.`ops`.`branches` VERSION AS OF 'audit'
SELECT * FROM lake.`ops`.`branches`.`branch_audit`
SELECT * FROM lake.`ops`.`branches`.files VERSION AS OF 'audit'
SELECT * FROM lake.`ops`.`branches` VERSION AS OF 'bad-load'
SELECT * FROM lake.`ops`.`branches`.`tag_bad-load`
SELECT * FROM lake.`ops`.`branches`.files VERSION AS OF 'bad-load'
SELECT * FROM lake.`ops`.`branches` VERSION AS OF 'dev'
SELECT * FROM lake.`ops`.`branches`.`branch_dev`
SELECT * FROM lake.`ops`.`branches`.files VERSION AS OF 'dev'
SELECT * FROM lake.`ops`.`branches` VERSION AS OF 'old'
SELECT * FROM lake.`ops`.`branches`.`branch_old`
SELECT * FROM lake.`ops`.`branches`.files VERSION AS OF 'old'
SELECT * FROM lake.`ops`.`branches` VERSION AS OF 'v1'
SELECT * FROM lake.`ops`.`branches`.`tag_v1`
SELECT * FROM lake.`ops`.`branches`.files VERSION AS OF 'v1'
