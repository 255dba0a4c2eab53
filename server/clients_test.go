package server

import "testing"

// TestClientsFirstStatements runs what shells, drivers and BI tools send before
// the user's first statement.
func TestClientsFirstStatements(t *testing.T) {
	c := serve(t, Config{})
	db := c.open("", "", "lake.tutorial")
	for _, query := range []string{
		"SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout",
		"SET NAMES utf8mb4", "SET autocommit=1", "SET SESSION TRANSACTION READ ONLY", "SET sql_mode='STRICT_TRANS_TABLES'",
		"SELECT @@version_comment LIMIT 1", "SELECT DATABASE()", "SELECT USER()", "SELECT CURRENT_USER()", "SELECT CONNECTION_ID()",
		"SHOW VARIABLES LIKE 'lower_case_table_names'", "SHOW GLOBAL STATUS LIKE 'Uptime'", "SHOW STATUS", "SHOW PLUGINS", "SHOW ENGINES",
		"SHOW CHARSET", "SHOW COLLATION", "SHOW PROCESSLIST", "SHOW WARNINGS", "SHOW SCHEMAS", "SHOW FULL TABLES", "SHOW TABLE STATUS",
		"SHOW FULL COLUMNS FROM retail_clickstream_events", "SHOW INDEX FROM retail_clickstream_events", "SHOW KEYS FROM retail_clickstream_events",
		"SHOW TRIGGERS", "SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS", "SHOW EVENTS", "SHOW CREATE DATABASE `lake.tutorial`",
		"EXPLAIN SELECT * FROM retail_clickstream_events WHERE user_id = 1",
		"START TRANSACTION", "COMMIT", "ROLLBACK", "SELECT 1",
		"SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA",
		"SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'lake.tutorial'",
		"SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, EXTRA, COLUMN_KEY FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'lake.tutorial' ORDER BY ORDINAL_POSITION",
		"SELECT * FROM information_schema.ROUTINES", "SELECT * FROM information_schema.VIEWS", "SELECT * FROM information_schema.KEY_COLUMN_USAGE",
		"SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS", "SELECT * FROM information_schema.STATISTICS", "SELECT * FROM information_schema.TRIGGERS",
		"SELECT * FROM information_schema.PARAMETERS", "SELECT * FROM information_schema.EVENTS", "SELECT * FROM information_schema.KEYWORDS",
		"SELECT DISTINCT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_TYPE != 'SYSTEM VIEW'",
	} {
		if _, err := queryRows(db, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
