package rewrite

import (
	"bytes"
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// newTarget describes files that are spliced: like those that the library
// writes, of which an empty one is the model.
func (o *output) newTarget(copyBytes int64) (*splice.Target, error) {
	var model bytes.Buffer
	w, err := o.newWriter(&model)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: schema cannot be written: %w", maintenance.ErrUnsupported, err)
	}
	settings := o.settings.moved
	settings.CopyBytes = copyBytes
	settings.Valued = o.valued()
	target, err := splice.NewTarget(model.Bytes(), settings)
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
