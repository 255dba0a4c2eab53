package catalog

import "errors"

// Error classes of the package. Errors that callers can act on wrap one of them.
var (
	// ErrNoSuchCatalog: the name is neither a configured catalog nor an alias.
	ErrNoSuchCatalog = errors.New("no such catalog")
	// ErrNoSuchNamespace: the catalog has no namespace of that name.
	ErrNoSuchNamespace = errors.New("no such namespace")
	// ErrNoSuchTable: the namespace has no table of that name.
	ErrNoSuchTable = errors.New("no such table")
	// ErrConfig: a catalog's properties cannot be used as they are.
	ErrConfig = errors.New("bad catalog configuration")
	// ErrLocation: files are where this program cannot read or write them.
	ErrLocation = errors.New("unsupported location")
	// ErrBusy: a store could not do something now and may be able to later.
	ErrBusy = errors.New("store is busy")
)
