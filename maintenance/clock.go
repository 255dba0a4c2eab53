package maintenance

import (
	"fmt"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
)

// clockTolerance is by how much a table's times may run backwards from one
// version to the next (Java's TableMetadata.ONE_MINUTE, which iceberg-go shares).
const clockTolerance = time.Minute

// CheckClock refuses to change a table that was last changed later than now, by
// more than the tolerance of Iceberg's libraries: with this machine's time the
// commit would be turned down, and with the table's it would be passed on to the
// next writer. Within the tolerance a new snapshot gets the table's time. The
// error wraps ErrRefused and says by how much the clocks differ.
func CheckClock(env Env, tbl *table.Table) error {
	now, last := env.now().UTC(), time.UnixMilli(lastChange(tbl.Metadata())).UTC()
	ahead := last.Sub(now)
	if ahead <= clockTolerance {
		return nil
	}
	return fmt.Errorf("%w: table %q was last changed at %s, but the clock of this machine says %s, %v earlier; at most %v is allowed: set the clock that is wrong, or wait until it is so late",
		ErrRefused, strings.Join(tbl.Identifier(), "."), stamp(last), stamp(now), ahead.Round(time.Second), clockTolerance)
}

// lastChange is the latest time in milliseconds that the next version's times
// are compared with: that of the table and those in its logs.
func lastChange(meta table.Metadata) int64 {
	last := meta.LastUpdatedMillis()
	for entry := range meta.SnapshotLogs() {
		last = max(last, entry.TimestampMs)
	}
	for entry := range meta.PreviousFiles() {
		last = max(last, entry.TimestampMs)
	}
	return last
}
