package metatables_test

// difference is where Firn differs from Spark, and why.
type difference struct {
	// table and metadata say where; a metadata table's name stands for itself
	// and its time travel, "*" for all that Spark refuses.
	table, metadata string
	// spark and firn are what each says when it refuses, empty if it answers.
	spark, firn string
	reason      string
}

// differences are all there are on the Spark-written lake.
func differences() []difference {
	return []difference{
		{
			"types.time_type", "*", "Spark does not support time fields", "",
			"Spark has no type for a time of day and refuses every metadata table that has the column's bounds; Firn shows them.",
		},
		{
			"types.v3_nanos", "*", "Cannot convert unsupported type to Spark: timestamp_ns", "",
			"Spark has no timestamp with nanoseconds and refuses every metadata table that has the column's bounds; Firn shows them.",
		},
		{
			"types.java_types", "*", "Cannot cast java.util.UUID", "",
			"Spark fails on the bounds of a column of type uuid; Firn shows them.",
		},
		{
			"ops.formats_orc", "position_deletes", "", "format ORC cannot be read",
			"Firn does not read ORC files. The error names the first one.",
		},
	}
}

// differenceAt finds the difference that an answer falls under.
func differenceAt(table, metadata string, refused bool) (difference, bool) {
	for _, d := range differences() {
		if d.table == table && (d.metadata == metadata || d.metadata == "*" && refused) {
			return d, true
		}
	}
	return difference{}, false
}
