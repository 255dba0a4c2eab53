package procedures

import (
	"fmt"
	"strings"
)

// registry lists the procedures by name, in alphabetical order.
func registry() []func() Procedure {
	return []func() Procedure{
		func() Procedure { return &convertEqualityDeletes{} },
		func() Procedure { return &expireSnapshots{} },
		func() Procedure { return &maintain{} },
		func() Procedure { return &removeOrphanFiles{} },
		func() Procedure { return &rewriteDataFiles{} },
		func() Procedure { return &rewriteManifests{} },
		func() Procedure { return &rewritePositionDeletes{} },
	}
}

// All returns one unbound instance of every procedure, by name.
func All() []Procedure {
	var all []Procedure
	for _, make := range registry() {
		all = append(all, make())
	}
	return all
}

// New returns a fresh instance of the procedure of that name, in any case. The
// error wraps ErrNoSuchProcedure.
func New(name string) (Procedure, error) {
	var known []string
	for _, p := range All() {
		info := p.Info()
		if strings.EqualFold(info.Name, name) {
			return p, nil
		}
		known = append(known, info.Name)
	}
	return nil, fmt.Errorf("%w: %q; there are %s", ErrNoSuchProcedure, name, strings.Join(known, ", "))
}
