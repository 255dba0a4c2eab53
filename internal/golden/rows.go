package golden

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
)

// Rows reads record batches to their end, releases them and returns the rows,
// each a line of JSON, sorted. An error of the stream fails the test.
func Rows(t testing.TB, batches iter.Seq2[arrow.RecordBatch, error]) []string {
	t.Helper()
	var lines []string
	for batch, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, Lines(batch)...)
		batch.Release()
	}
	slices.Sort(lines)
	return lines
}

// Lines are the rows of one batch in their order.
func Lines(batch arrow.RecordBatch) []string {
	lines := make([]string, batch.NumRows())
	for i := range lines {
		lines[i] = list(slices.Values(batch.Columns()), func(column arrow.Array) string { return cell(column, i) })
	}
	return lines
}

// cell is the value of an Arrow array at i.
func cell(a arrow.Array, i int) string {
	if _, void := a.(*array.Null); void || a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Int32:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Float32:
		return floating(float64(a.Value(i)))
	case *array.Float64:
		return floating(a.Value(i))
	case *array.Date32:
		return quote(a.Value(i).ToTime().Format("2006-01-02"))
	case *array.Time64:
		return quote(a.Value(i).ToTime(a.DataType().(*arrow.Time64Type).Unit).Format("15:04:05.000000"))
	case *array.Timestamp:
		typ := a.DataType().(*arrow.TimestampType)
		return moment(a.Value(i).ToTime(typ.Unit), typ.TimeZone != "")
	case *array.Decimal128:
		return quote(decimal(a.Value(i).BigInt().String(), int(a.DataType().(*arrow.Decimal128Type).Scale)))
	case *array.Binary:
		return binary(a.Value(i))
	case *array.LargeBinary:
		return binary(a.Value(i))
	case *array.FixedSizeBinary:
		return binary(a.Value(i))
	case *array.String:
		return quote(a.Value(i))
	case *array.LargeString:
		return quote(a.Value(i))
	case *extensions.UUIDArray:
		return quote(a.Value(i).String())
	default:
		return nestedCell(a, i)
	}
}

func nestedCell(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Map:
		start, end := a.ValueOffsets(i)
		entries := elements(int(start), int(end), func(j int) string {
			return "[" + cell(a.Keys(), j) + "," + cell(a.Items(), j) + "]"
		})
		slices.Sort(entries)
		return `{"$map":[` + strings.Join(entries, ",") + "]}"
	case *array.List:
		start, end := a.ValueOffsets(i)
		return "[" + strings.Join(elements(int(start), int(end), func(j int) string { return cell(a.ListValues(), j) }), ",") + "]"
	case *array.LargeList:
		start, end := a.ValueOffsets(i)
		return "[" + strings.Join(elements(int(start), int(end), func(j int) string { return cell(a.ListValues(), j) }), ",") + "]"
	case *array.Struct:
		typ := a.DataType().(*arrow.StructType)
		byName := map[string]int{}
		var names []string
		for j, f := range typ.Fields() {
			byName[f.Name] = j
			names = append(names, f.Name)
		}
		slices.Sort(names)
		return object(names, func(name string) string { return cell(a.Field(byName[name]), i) })
	case *extensions.VariantArray:
		return variantCell(a, i)
	default:
		return fmt.Sprintf("unexpected arrow type %s", a.DataType())
	}
}

func variantCell(a *extensions.VariantArray, i int) string {
	v, err := a.Value(i)
	if err != nil {
		return "bad variant: " + err.Error()
	}
	content, err := v.MarshalJSON()
	if err != nil {
		return "bad variant: " + err.Error()
	}
	return object([]string{"$variant"}, func(string) string { return quote(string(content)) })
}

func elements(start, end int, text func(int) string) []string {
	parts := make([]string, 0, end-start)
	for j := start; j < end; j++ {
		parts = append(parts, text(j))
	}
	return parts
}

// decimal puts the point into an unscaled number.
func decimal(unscaled string, scale int) string {
	digits, negative := strings.CutPrefix(unscaled, "-")
	if scale > 0 {
		if pad := scale + 1 - len(digits); pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}
