package rewrite

import "github.com/firndb/firn/maintenance/internal/pagezstd"

// RegisterCompression makes Parquet pages in zstd at the default level cheaper to
// write. The library knows one codec of a kind for the whole process, so that
// this is the program's choice; it is made before any Parquet file is open.
func RegisterCompression() error { return pagezstd.Register() }
