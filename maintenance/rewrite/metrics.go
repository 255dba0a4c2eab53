package rewrite

import (
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

const (
	inferredMetricsKey     = "write.metadata.metrics.max-inferred-column-defaults"
	inferredMetricsDefault = 100
	columnMetricsPrefix    = table.MetricsModeColumnConfPrefix + "."
)

// isMetricsMode recognises a metrics mode.
func isMetricsMode(text string) bool {
	switch text = strings.ToLower(text); text {
	case "none", "counts", "full":
		return true
	}
	length, ok := strings.CutPrefix(text, "truncate(")
	length, closed := strings.CutSuffix(length, ")")
	n, err := strconv.Atoi(length)
	return ok && closed && err == nil && n > 0
}

// metricsProperties says by properties which statistics the files of a table have
// (Java: MetricsConfig.from). Unless the table has a default, only so many of its
// columns have any. Columns that it is sorted by have bounds. What is no mode
// counts as absent.
func metricsProperties(meta table.Metadata) iceberg.Properties {
	props, schema := iceberg.Properties{}, meta.CurrentSchema()
	mode := table.DefaultWriteMetricsModeDefault
	if text := meta.Properties()[table.DefaultWriteMetricsModeKey]; isMetricsMode(text) {
		mode = text
	} else if _, ok := meta.Properties()[table.DefaultWriteMetricsModeKey]; !ok {
		limit, err := strconv.Atoi(meta.Properties()[inferredMetricsKey])
		if err != nil || limit < 0 {
			limit = inferredMetricsDefault
		}
		if countFields(schema.Fields()) > limit {
			for _, id := range firstColumns(schema.Fields(), limit) {
				setMode(props, schema, id, mode)
			}
			mode = "none"
		}
	}
	props[table.DefaultWriteMetricsModeKey] = mode
	bounded := mode
	if strings.EqualFold(mode, "none") || strings.EqualFold(mode, "counts") {
		bounded = table.DefaultWriteMetricsModeDefault
	}
	for _, f := range meta.SortOrder().Fields() {
		if f.Transform.PreservesOrder() {
			setMode(props, schema, f.SourceID(), bounded)
		}
	}
	for key, text := range meta.Properties() {
		if !strings.HasPrefix(key, columnMetricsPrefix) {
			continue
		}
		if props[key] = mode; isMetricsMode(text) {
			props[key] = text
		}
	}
	return props
}

func setMode(props iceberg.Properties, schema *iceberg.Schema, id int, mode string) {
	if name, ok := schema.FindColumnName(id); ok {
		props[columnMetricsPrefix+name] = mode
	}
}

// inside are the fields directly inside a type.
func inside(t iceberg.Type) []iceberg.NestedField {
	switch t := t.(type) {
	case *iceberg.StructType:
		return t.FieldList
	case *iceberg.ListType:
		return []iceberg.NestedField{{ID: t.ElementID, Type: t.Element}}
	case *iceberg.MapType:
		return []iceberg.NestedField{{ID: t.KeyID, Type: t.KeyType}, {ID: t.ValueID, Type: t.ValueType}}
	}
	return nil
}

// countFields counts the fields that have an id, structs too.
func countFields(fields []iceberg.NestedField) int {
	n := 0
	for _, f := range fields {
		_, list := f.Type.(*iceberg.ListType)
		_, entries := f.Type.(*iceberg.MapType)
		if !list && !entries {
			n++
		}
		n += countFields(inside(f.Type))
	}
	return n
}

// firstColumns are up to limit columns that are not nested types, those of each
// level before what is inside its fields (Java: MetricsConfig.limitFieldIds).
func firstColumns(fields []iceberg.NestedField, limit int) []int {
	var ids []int
	for _, f := range fields {
		if inside(f.Type) == nil && len(ids) < limit {
			ids = append(ids, f.ID)
		}
	}
	for _, f := range fields {
		ids = append(ids, firstColumns(inside(f.Type), limit-len(ids))...)
	}
	return ids
}
