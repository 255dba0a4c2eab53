package rewrite

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/apache/iceberg-go/table"
	"github.com/twmb/murmur3"
)

// locations names new data files as Java's LocationProviders do.
type locations struct {
	// root is the data folder, without a slash at its end.
	root string
	// hashed spreads files over folders named by a hash (ObjectStoreLocationProvider);
	// partitioned keeps partition paths then; context stands between hash and
	// name when the root is not the table's own.
	hashed, partitioned bool
	context             string
}

func newLocations(meta table.Metadata) locations {
	props := meta.Properties()
	base := strings.TrimRight(meta.Location(), "/")
	l := locations{
		hashed:      strings.EqualFold(props.Get(table.ObjectStoreEnabledKey, "false"), "true"),
		partitioned: strings.EqualFold(props.Get(table.WriteObjectStorePartitionedPathsKey, "true"), "true"),
	}
	keys := []string{table.WriteDataPathKey, "write.folder-storage.path"}
	if l.hashed {
		keys = []string{table.WriteDataPathKey, "write.object-storage.path", "write.folder-storage.path"}
	}
	l.root = base + "/data"
	for _, key := range keys {
		if path := props[key]; path != "" {
			l.root = strings.TrimRight(path, "/")
			break
		}
	}
	if l.hashed && !strings.HasPrefix(l.root, base) {
		l.context = lastTwo(base)
	}
	return l
}

// lastTwo is the table's folder and the one above, "db/table".
func lastTwo(location string) string {
	if u, err := url.Parse(location); err == nil {
		location = u.Path
	}
	parts := strings.Split(strings.Trim(location, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// path is where a file of a partition goes; partition is a partition path,
// empty if the spec is unpartitioned.
func (l locations) path(partition, name string) string {
	if partition != "" && (!l.hashed || l.partitioned) {
		name = partition + "/" + name
	}
	switch {
	case !l.hashed:
		return l.root + "/" + name
	case l.context != "":
		return l.root + "/" + hashPath(name) + "/" + l.context + "/" + name
	case l.partitioned:
		return l.root + "/" + hashPath(name) + "/" + name
	}
	return l.root + "/" + hashPath(name) + "-" + name
}

// hashPath is 20 bits of the name's hash as folders: three of four bits and one
// of eight.
func hashPath(name string) string {
	bits := fmt.Sprintf("%020b", murmur3.Sum32([]byte(name))&(1<<20-1))
	return bits[0:4] + "/" + bits[4:8] + "/" + bits[8:12] + "/" + bits[12:]
}
