package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
)

// event is a row of tutorial.retail_clickstream_events.
type event struct {
	id, session, kind, product string
	user                       int64
	cents                      int64
	at                         time.Time
}

// prepareEvents makes the clickstream: January 8 in one file of a batch load,
// January 9 in five files of one streamed event each, January 10 in three.
func prepareEvents(ctx context.Context, c *catalog.Catalog) error {
	optional := func(id int, name string, typ iceberg.Type) iceberg.NestedField {
		return iceberg.NestedField{ID: id, Name: name, Type: typ}
	}
	tbl, err := create(ctx, c, events(), iceberg.NewSchema(0,
		optional(1, "event_id", iceberg.PrimitiveTypes.String),
		optional(2, "user_id", iceberg.PrimitiveTypes.Int64),
		optional(3, "session_id", iceberg.PrimitiveTypes.String),
		optional(4, "event_type", iceberg.PrimitiveTypes.String),
		optional(5, "product_id", iceberg.PrimitiveTypes.String),
		optional(6, "price", iceberg.DecimalTypeOf(10, 2)),
		optional(7, "event_time", iceberg.PrimitiveTypes.TimestampTz),
		optional(8, "ingestion_time", iceberg.PrimitiveTypes.TimestampTz),
	))
	if err != nil {
		return err
	}
	b, err := newBuilder(tbl)
	if err != nil {
		return err
	}
	defer b.Release()
	return appendAll(ctx, tbl, eventBatches(b))
}

func eventBatches(b *array.RecordBuilder) []arrow.RecordBatch {
	kinds := []string{"page_view", "search", "add_to_cart", "checkout", "purchase"}
	day := func(d int) time.Time { return time.Date(2026, time.January, d, 9, 0, 0, 0, time.UTC) }
	make := func(prefix string, n int, at time.Time) event {
		user := int64(100 + n%17)
		return event{
			id: fmt.Sprintf("%s_%06d", prefix, n), user: user, session: fmt.Sprintf("sess_%d_%d", user, n/3),
			kind: kinds[n%len(kinds)], product: fmt.Sprintf("sku-%03d", n%41), cents: int64(499 + 137*n),
			at: at.Add(time.Duration(n) * 41 * time.Second),
		}
	}
	var batches []arrow.RecordBatch
	for n := 1; n <= 200; n++ {
		addEvent(b, make("evt_batch", n, day(8)))
	}
	batches = append(batches, b.NewRecordBatch())
	for n := 1; n <= 5; n++ {
		addEvent(b, make("evt_stream", n, day(9)))
		batches = append(batches, b.NewRecordBatch())
	}
	for n := 1; n <= 60; n++ {
		addEvent(b, make("evt_micro", n, day(10)))
		if n%20 == 0 {
			batches = append(batches, b.NewRecordBatch())
		}
	}
	return batches
}

func addEvent(b *array.RecordBuilder, e event) {
	b.Field(0).(*array.StringBuilder).Append(e.id)
	b.Field(1).(*array.Int64Builder).Append(e.user)
	b.Field(2).(*array.StringBuilder).Append(e.session)
	b.Field(3).(*array.StringBuilder).Append(e.kind)
	b.Field(4).(*array.StringBuilder).Append(e.product)
	b.Field(5).(*array.Decimal128Builder).Append(decimal128.FromI64(e.cents))
	b.Field(6).(*array.TimestampBuilder).Append(timestamp(e.at))
	b.Field(7).(*array.TimestampBuilder).Append(timestamp(e.at.Add(1500 * time.Millisecond)))
}
