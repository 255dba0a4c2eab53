package rewrite

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// prepareParquet prepares writing Parquet files. It describes them by an empty one
// of the library's, which knows how schemas of Arrow are stored.
func (o *output) prepareParquet(tableProps iceberg.Properties) (err error) {
	if o.settings, err = newParquetSettings(tableProps); err != nil {
		return err
	}
	props := parquet.NewWriterProperties(
		// The specification stores decimals of up to 18 digits as integers.
		parquet.WithStoreDecimalAsInteger(true),
		parquet.WithCreatedBy("firn"),
	)
	var model bytes.Buffer
	w, err := pqarrow.NewFileWriter(o.arrow, &model, props, pqarrow.DefaultWriterProps())
	if err == nil {
		for key, value := range o.texts {
			err = errors.Join(err, w.AppendKeyValueMetadata(key, value))
		}
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return fmt.Errorf("%w: schema cannot be written: %w", maintenance.ErrUnsupported, err)
	}
	o.model = model.Bytes()
	if o.target, err = o.newTarget(0); err != nil {
		return err
	}
	o.settings.inFiles(o.schema, o.target.Paths())
	o.target, err = o.newTarget(0)
	return err
}

// newTarget describes files whose row groups of copyBytes or more are copied.
func (o *output) newTarget(copyBytes int64) (*splice.Target, error) {
	settings := o.settings.pages
	settings.CopyBytes = copyBytes
	settings.Valued = o.valued()
	target, err := splice.NewTarget(o.model, settings)
	if err != nil {
		return nil, fmt.Errorf("schema of new files: %w", err)
	}
	return target, nil
}

// valued lists the columns that need not be null in a file that lacks them:
// those with a default, and those whose value the file's partition may tell.
func (o *output) valued() []int {
	var ids []int
	for _, f := range o.schema.Fields() {
		if f.InitialDefault != nil {
			ids = append(ids, f.ID)
		}
	}
	for _, spec := range o.meta.PartitionSpecs() {
		for i := range spec.NumFields() {
			if f := spec.Field(i); f.Transform == (iceberg.IdentityTransform{}) {
				ids = append(ids, f.SourceIDs...)
			}
		}
	}
	return ids
}
