package lakefixture

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go/table"
)

// rowsOf reads a table's rows, one line each, sorted; of the current snapshot
// when the id is 0.
func rowsOf(ctx context.Context, tbl *table.Table, snapshot int64) ([]string, error) {
	var options []table.ScanOption
	if snapshot != 0 {
		options = append(options, table.WithSnapshotID(snapshot))
	}
	_, batches, err := tbl.Scan(options...).ToArrowRecords(ctx)
	if err != nil {
		return nil, err
	}
	var rows []string
	for batch, err := range batches {
		if err != nil {
			return nil, err
		}
		for i := range int(batch.NumRows()) {
			cells := make([]string, batch.NumCols())
			for j := range cells {
				cells[j] = "NULL"
				if column := batch.Column(j); !column.IsNull(i) {
					cells[j] = strconv.Quote(column.ValueStr(i))
				}
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		batch.Release()
	}
	slices.Sort(rows)
	return rows, nil
}

// Diff compares two sorted lists of rows as multisets: what is in before and
// not in after, and the other way.
func Diff(before, after []string) (lost, gained []string) {
	for len(before) > 0 && len(after) > 0 {
		switch {
		case before[0] == after[0]:
			before, after = before[1:], after[1:]
		case before[0] < after[0]:
			lost, before = append(lost, before[0]), before[1:]
		default:
			gained, after = append(gained, after[0]), after[1:]
		}
	}
	return append(lost, before...), append(gained, after...)
}

// head is the beginning of a list that may be long.
func head(list []string) []string {
	const enough = 3
	if len(list) <= enough {
		return list
	}
	return append(slices.Clone(list[:enough]), "… "+strconv.Itoa(len(list)-enough)+" more")
}
