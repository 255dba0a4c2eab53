package rewrite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// Table properties of delete files (Java's TableProperties).
const (
	deleteTargetSizeKey     = "write.delete.target-file-size-bytes"
	deleteTargetSizeDefault = 64 << 20
	deleteFormatKey         = "write.delete.format.default"
	deleteGranularityKey    = "write.delete.granularity"
	deleteParquetPrefix     = "write.delete.parquet."
	parquetPrefix           = "write.parquet."
	deleteAvroPrefix        = "write.delete.avro."
	avroPrefix              = "write.avro."
)

// DeleteOptionKeys lists the options of a rewrite of position delete files.
func DeleteOptionKeys() []string {
	return []string{
		OptionTargetFileSize, OptionMinFileSize, OptionMaxFileSize, OptionMinInputFiles, OptionRewriteAll,
		OptionMaxGroupSize, OptionMaxGroupFiles, OptionJobOrder, OptionConcurrentGroups,
		OptionPartialProgress, OptionMaxCommits,
	}
}

// ParseDeleteOptions reads the options of a rewrite of position delete files, as
// [ParseOptions] does those of data files.
func ParseDeleteOptions(values map[string]string, meta table.Metadata) (Options, error) {
	p := &optionParser{values: values}
	p.checkKeys("a rewrite of position delete files", DeleteOptionKeys())
	target := p.long(OptionTargetFileSize, p.property(meta, deleteTargetSizeKey, deleteTargetSizeDefault))
	o := p.grouping(target)
	o.Format = deleteFormat(meta.Properties())
	p.checkSizes(o)
	p.checkCommits(o)
	return o, p.err
}

// deletesByFile says whether each delete file is about one data file, as the
// table wants it; Spark's default differs from that of Iceberg's specification of
// the property.
func deletesByFile(props iceberg.Properties) (bool, error) {
	switch text := props.Get(deleteGranularityKey, "file"); strings.ToLower(text) {
	case "file":
		return true, nil
	case "partition":
		return false, nil
	default:
		return false, fmt.Errorf("%w: table property %q is %q; allowed are file and partition", maintenance.ErrInvalid, deleteGranularityKey, text)
	}
}

// deleteProperties are a table's properties with those of delete files in the
// place of those of data files. Paths and positions have their bounds in
// full, whatever the table's metrics modes are.
func deleteProperties(props iceberg.Properties) iceberg.Properties {
	out := maps.Clone(props)
	if out == nil {
		out = iceberg.Properties{}
	}
	for _, key := range slices.Sorted(maps.Keys(props)) {
		if rest, ok := strings.CutPrefix(key, deleteParquetPrefix); ok {
			out[parquetPrefix+rest] = props[key]
		}
		if rest, ok := strings.CutPrefix(key, deleteAvroPrefix); ok {
			out[avroPrefix+rest] = props[key]
		}
		if strings.HasPrefix(key, table.ParquetBloomFilterColumnEnabledKeyPrefix) || strings.HasPrefix(key, "write.metadata.metrics.") {
			delete(out, key)
		}
	}
	out["write.metadata.metrics.default"] = "full"
	return out
}
