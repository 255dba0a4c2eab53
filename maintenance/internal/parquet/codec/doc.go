// Package codec decompresses the pages of Parquet files.
package codec
