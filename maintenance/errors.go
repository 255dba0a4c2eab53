package maintenance

import "errors"

// Error classes of the package. Errors that callers can act on wrap one of them.
var (
	// ErrInvalid: an option or argument has a value that is not allowed; the
	// message names it.
	ErrInvalid = errors.New("invalid argument")
	// ErrRefused: the table does not allow the operation, for example because
	// gc.enabled is false.
	ErrRefused = errors.New("refused")
	// ErrConflict: a concurrent commit made the job's result inapplicable and
	// retrying cannot help, or the retries are used up. Nothing of the job's is
	// part of the table, and its files are removed.
	ErrConflict = errors.New("commit conflict")
	// ErrCommitUnknown: the catalog did not say whether the commit took place
	// and re-reading the table did not tell. Nothing has been deleted; the
	// message has the snapshot id to look for.
	ErrCommitUnknown = errors.New("commit outcome unknown")
	// ErrCorrupt: a check that protects rows failed, for example rows in and
	// rows out of a rewrite differ. Nothing has been committed.
	ErrCorrupt = errors.New("check failed")
	// ErrUnsupported: the table has something that cannot be handled, such as
	// a file format; the message names it.
	ErrUnsupported = errors.New("unsupported")
)
