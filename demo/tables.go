package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// ownerProperty marks the tables that the demo has made and may make anew.
const ownerProperty = "firn.demo"

// events names the clickstream table.
func events() table.Identifier { return table.Identifier{"tutorial", "retail_clickstream_events"} }

// orders names the table of orders.
func orders() table.Identifier { return table.Identifier{"lakehouse", "order_events"} }

// Prepare makes the tutorial's tables in their first state, in place of those
// of an earlier run. It refuses to touch a table of the same name that the
// demo has not made.
func Prepare(ctx context.Context, c *catalog.Catalog, now time.Time) error {
	if err := prepareEvents(ctx, c); err != nil {
		return fmt.Errorf("make table %q: %w", strings.Join(events(), "."), err)
	}
	if err := prepareOrders(ctx, c, now); err != nil {
		return fmt.Errorf("make table %q: %w", strings.Join(orders(), "."), err)
	}
	return nil
}

// create makes an empty table that is partitioned by the day of event_time.
func create(ctx context.Context, c *catalog.Catalog, ident table.Identifier, schema *iceberg.Schema) (*table.Table, error) {
	ice := c.Iceberg()
	err := ice.CreateNamespace(ctx, ident[:1], nil)
	if err != nil && !errors.Is(err, icecat.ErrNamespaceAlreadyExists) {
		return nil, err
	}
	if err := dropOwn(ctx, c, ident); err != nil {
		return nil, err
	}
	source, ok := schema.FindFieldByName("event_time")
	if !ok {
		return nil, fmt.Errorf("the schema has no event_time")
	}
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{
		SourceIDs: []int{source.ID}, FieldID: 1000, Name: "event_time_day", Transform: iceberg.DayTransform{},
	})
	return ice.CreateTable(ctx, ident, schema, icecat.WithPartitionSpec(&spec), icecat.WithProperties(iceberg.Properties{
		"format-version":                  "2",
		"write.parquet.compression-codec": "zstd",
		ownerProperty:                     "true",
	}))
}

// dropOwn removes the table of an earlier run with its files.
func dropOwn(ctx context.Context, c *catalog.Catalog, ident table.Identifier) error {
	tbl, err := c.Load(ctx, ident)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil
	}
	if err != nil {
		return err
	}
	if tbl.Properties()[ownerProperty] != "true" {
		return fmt.Errorf("the table exists and is not the demo's; choose another --data-dir")
	}
	if err := tbl.PurgeFiles(ctx); err != nil {
		return err
	}
	return c.Iceberg().DropTable(ctx, ident)
}

// appendAll appends each record batch as a commit of its own, so that every
// partition gets one file a commit.
func appendAll(ctx context.Context, tbl *table.Table, records []arrow.RecordBatch) error {
	for _, record := range records {
		reader, err := array.NewRecordReader(record.Schema(), []arrow.RecordBatch{record})
		if err != nil {
			return err
		}
		next, err := tbl.Append(ctx, reader, nil)
		reader.Release()
		record.Release()
		if err != nil {
			return err
		}
		tbl = next
	}
	return nil
}

// newBuilder returns a builder of record batches for the table's schema.
func newBuilder(tbl *table.Table) (*array.RecordBuilder, error) {
	schema, err := table.SchemaToArrowSchema(tbl.Schema(), nil, false, false)
	if err != nil {
		return nil, err
	}
	return array.NewRecordBuilder(memory.DefaultAllocator, schema), nil
}

func timestamp(t time.Time) arrow.Timestamp { return arrow.Timestamp(t.UnixMicro()) }
