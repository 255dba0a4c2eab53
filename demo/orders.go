package demo

import (
	"context"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
)

// The orders come in hourly micro-batches, each with events of all the days,
// as late data does: one small file a day and batch.
const (
	orderDays      = 12
	orderBatches   = 20
	ordersPerBatch = 25
)

// prepareOrders makes a few hundred small files over the days before now.
func prepareOrders(ctx context.Context, c *catalog.Catalog, now time.Time) error {
	tbl, err := create(ctx, c, orders(), iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "order_id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "customer_id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 3, Name: "status", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 4, Name: "amount", Type: iceberg.DecimalTypeOf(12, 2)},
		iceberg.NestedField{ID: 5, Name: "event_date", Type: iceberg.PrimitiveTypes.Date},
		iceberg.NestedField{ID: 6, Name: "event_time", Type: iceberg.PrimitiveTypes.TimestampTz},
	))
	if err != nil {
		return err
	}
	b, err := newBuilder(tbl)
	if err != nil {
		return err
	}
	defer b.Release()
	var batches []arrow.RecordBatch
	today := now.UTC().Truncate(24 * time.Hour)
	for batch := range orderBatches {
		for age := range orderDays {
			day := today.AddDate(0, 0, -1-age)
			for n := range ordersPerBatch {
				id := int64((batch*orderDays+age)*ordersPerBatch + n)
				addOrder(b, id, day.Add(time.Duration(batch)*time.Hour+time.Duration(n)*time.Minute))
			}
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return appendAll(ctx, tbl, batches)
}

func addOrder(b *array.RecordBuilder, id int64, at time.Time) {
	statuses := []string{"placed", "paid", "shipped", "delivered", "returned"}
	b.Field(0).(*array.Int64Builder).Append(id)
	b.Field(1).(*array.Int64Builder).Append(1000 + id%431)
	b.Field(2).(*array.StringBuilder).Append(statuses[id%int64(len(statuses))])
	b.Field(3).(*array.Decimal128Builder).Append(decimal128.FromI64(1999 + id*7%90000))
	b.Field(4).(*array.Date32Builder).Append(arrow.Date32FromTime(at))
	b.Field(5).(*array.TimestampBuilder).Append(timestamp(at))
}
