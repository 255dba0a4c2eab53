// Package flat reads the pages of columns that are not nested from Parquet files
// and makes Arrow arrays of them, a page or a part of one at a time.
//
// What it does not understand it refuses with [ErrUnfit]; Arrow's own reader may
// know better. What it takes has the values and the type that Arrow's reader
// gives.
package flat

import "errors"

// ErrUnfit is the class of errors of pages that are damaged or not understood.
var ErrUnfit = errors.New("pages are not understood")
