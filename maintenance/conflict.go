package maintenance

import "fmt"

// Conflict says which of the files that a [Replace] takes out another writer has
// touched since the plan. It wraps [ErrConflict]. A replacement of the other files
// may be possible.
type Conflict struct {
	// Data are paths of data files; Deletes are keys of delete files.
	Data, Deletes map[string]bool
	cause         string
}

// Error says what has happened.
func (c *Conflict) Error() string { return fmt.Sprintf("%s: %s", ErrConflict, c.cause) }

// Unwrap makes it an ErrConflict.
func (c *Conflict) Unwrap() error { return ErrConflict }
