package maintenance

import (
	"fmt"
	"io"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// manifestSlack is how much larger than the target a manifest may be, because
// its size can only be estimated (Java's RewriteManifestsSparkAction).
const manifestSlack = 1.2

// manifestSizes reckons with the length of manifests.
type manifestSizes struct {
	// target is the wanted length; head is the part of it that a manifest has
	// without entries.
	target, head int64
}

func newManifestSizes(meta table.Metadata, spec iceberg.PartitionSpec, content iceberg.ManifestContent) (manifestSizes, error) {
	s := manifestSizes{target: int64(meta.Properties().GetInt(manifestTargetSizeKey, mergeTargetBytes))}
	if s.target < 1 {
		return s, fmt.Errorf("%w: the table property %q must be at least 1, it is %q", ErrInvalid, manifestTargetSizeKey, meta.Properties()[manifestTargetSizeKey])
	}
	if meta.Version() < 2 {
		content = iceberg.ManifestContentData
	}
	f := &countingFile{w: nopCloser{io.Discard}}
	if _, err := iceberg.NewManifestWriter(meta.Version(), f, spec, schemaOfSpec(meta, spec), 1, iceberg.WithManifestWriterContent(content)); err != nil {
		return s, fmt.Errorf("write a manifest of partition spec %d: %w", spec.ID(), err)
	}
	s.head = f.n
	return s, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// room is how many bytes of entries a new manifest is meant to have.
func (s manifestSizes) room() int64 { return max(s.target-s.head, s.target/4, 1) }

// body is how many bytes of entries a manifest has.
func (s manifestSizes) body(m iceberg.ManifestFile) int64 { return max(m.Length()-s.head, 0) }

// fits says whether a manifest is small enough to stay.
func (s manifestSizes) fits(m iceberg.ManifestFile) bool {
	return m.Length() <= s.target || s.count(s.body(m), manifestSlack) == 1
}

// count is how many manifests so many bytes of entries make, each with so much
// slack.
func (s manifestSizes) count(body int64, slack float64) int64 {
	room := int64(slack * float64(s.room()))
	return max(1, (body+room-1)/room)
}

// share is the part of a manifest's entries that so many are.
func share(m iceberg.ManifestFile, body, live int64) int64 {
	deleted := int64(max(0, m.DeletedDataFiles()))
	if live+deleted == 0 {
		return 0
	}
	return int64(float64(body) * float64(live) / float64(live+deleted))
}
