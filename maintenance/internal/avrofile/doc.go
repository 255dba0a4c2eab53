// Package avrofile writes the rows of Arrow arrays into Avro files with an Iceberg
// schema, laid out as by Java's Avro and AvroSchemaUtil ("Avro" in appendix A of
// the specification): what is optional is a union with null first, decimals and
// uuids are fixed, a map whose keys are not text is an array of entries.
//
// A [Format] is what all files of a schema have in common; a [Writer] writes one.
package avrofile
