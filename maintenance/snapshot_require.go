package maintenance

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// stillHas requires that a table has the schema and the partition specs that a
// new snapshot names: an expiry may have removed them as unused since the
// snapshot was drafted, without moving the branch, and nobody could read the
// snapshot. It also requires the format version, and that the snapshot's sequence
// number and first row id are still to be had: a commit to another branch takes
// them, and what the library says then does not tell that nothing was committed.
// Iceberg has no requirement that says so. The SQL, Hadoop, Hive and Glue catalogs
// ask this one; a REST catalog sees only the assertion of the table's UUID.
type stillHas struct {
	table.Requirement
	schema  int
	specs   []int
	version int
	// sequence and rows are the last sequence number and the next row id that the
	// snapshot was drafted on.
	sequence, rows int64
}

// Validate says whether meta has all of them.
func (s stillHas) Validate(meta table.Metadata) error {
	if err := s.Requirement.Validate(meta); err != nil {
		return err
	}
	if !slices.ContainsFunc(meta.Schemas(), func(schema *iceberg.Schema) bool { return schema.ID == s.schema }) {
		return fmt.Errorf("requirement failed: schema %d has been removed", s.schema)
	}
	for _, id := range s.specs {
		if meta.PartitionSpecByID(id) == nil {
			return fmt.Errorf("requirement failed: partition spec %d has been removed", id)
		}
	}
	if v := meta.Version(); v != s.version {
		return fmt.Errorf("requirement failed: the format version has changed from %d to %d", s.version, v)
	}
	if last := meta.LastSequenceNumber(); last != s.sequence {
		return fmt.Errorf("requirement failed: the last sequence number has changed from %d to %d", s.sequence, last)
	}
	if next := meta.NextRowID(); next != s.rows {
		return fmt.Errorf("requirement failed: the next row id has changed from %d to %d", s.rows, next)
	}
	return nil
}

// MarshalJSON writes the assertion of the table's UUID.
func (s stillHas) MarshalJSON() ([]byte, error) { return json.Marshal(s.Requirement) }

// specsOf are the partition specs of manifests, sorted.
func specsOf(manifests []iceberg.ManifestFile) []int {
	var ids []int
	for _, m := range manifests {
		ids = append(ids, int(m.PartitionSpecID()))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
