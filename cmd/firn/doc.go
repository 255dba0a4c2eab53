// Command firn maintains Apache Iceberg tables and speaks the MySQL protocol.
//
//	firn serve   run the server
//	firn sql     run statements, on a server or in process
//	firn demo    run the tutorial on a lake of its own
//	firn version print the version
package main
