package avrofile

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/firndb/firn/maintenance"
)

// The branches of a union of null and another type, as their indices are encoded.
const (
	isNull  = 0
	isValue = 2
)

// bindOptional binds values that may be null.
func bindOptional(bind binder) binder {
	return func(a arrow.Array) (appender, error) {
		value, err := bind(a)
		if err != nil {
			return nil, err
		}
		return func(to []byte, row int) ([]byte, error) {
			if a.IsNull(row) {
				return append(to, isNull), nil
			}
			return value(append(to, isValue), row)
		}, nil
	}
}

// bindRequired binds values that may not be null.
func bindRequired(name string, bind binder) binder {
	return func(a arrow.Array) (appender, error) {
		value, err := bind(a)
		if err != nil || a.NullN() == 0 {
			return value, err
		}
		return func(to []byte, row int) ([]byte, error) {
			if a.IsNull(row) {
				return nil, fmt.Errorf("%w: %q is null, which it may not be", maintenance.ErrCorrupt, name)
			}
			return value(to, row)
		}, nil
	}
}

func bindRecord(fields []binder) binder {
	return func(a arrow.Array) (appender, error) {
		s, ok := a.(*array.Struct)
		if !ok || s.NumField() != len(fields) {
			return nil, mismatch(a)
		}
		columns := make([]arrow.Array, len(fields))
		for i := range columns {
			columns[i] = s.Field(i)
		}
		return bindAll(fields, columns)
	}
}

// bindAll binds the fields of records.
func bindAll(fields []binder, columns []arrow.Array) (appender, error) {
	values := make([]appender, len(fields))
	for i, bind := range fields {
		var err error
		if values[i], err = bind(columns[i]); err != nil {
			return nil, err
		}
	}
	return func(to []byte, row int) ([]byte, error) {
		var err error
		for _, value := range values {
			if to, err = value(to, row); err != nil {
				return nil, err
			}
		}
		return to, nil
	}, nil
}

func bindList(element binder) binder {
	return func(a arrow.Array) (appender, error) {
		list, ok := a.(array.ListLike)
		if _, entries := a.(*array.Map); !ok || entries {
			return nil, mismatch(a)
		}
		value, err := element(list.ListValues())
		if err != nil {
			return nil, err
		}
		return blocks(list, value), nil
	}
}

// bindMap binds maps. Those with keys of text are encoded like arrays of entries.
func bindMap(key, value binder) binder {
	return func(a arrow.Array) (appender, error) {
		entries, ok := a.(*array.Map)
		if !ok {
			return nil, mismatch(a)
		}
		entry, err := bindAll([]binder{key, value}, []arrow.Array{entries.Keys(), entries.Items()})
		if err != nil {
			return nil, err
		}
		return blocks(entries, entry), nil
	}
}

// blocks appends lists: one block of all elements, and the empty one that ends
// them.
func blocks(list array.ListLike, element appender) appender {
	return func(to []byte, row int) ([]byte, error) {
		from, end := list.ValueOffsets(row)
		if end > from {
			to = binary.AppendVarint(to, end-from)
		}
		var err error
		for i := from; i < end; i++ {
			if to, err = element(to, int(i)); err != nil {
				return nil, err
			}
		}
		return append(to, 0), nil
	}
}

func bindVariant(a arrow.Array) (appender, error) {
	values, ok := a.(*extensions.VariantArray)
	if !ok {
		return nil, mismatch(a)
	}
	return func(to []byte, row int) ([]byte, error) {
		v, err := values.Value(row)
		if err != nil {
			return nil, err
		}
		return appendBytes(appendBytes(to, v.Metadata().Bytes()), v.Bytes()), nil
	}, nil
}
