package maintenance

import (
	"fmt"
	"slices"
	"strings"
)

// pathRules say when two spellings mean one file.
type pathRules struct {
	schemes, authorities map[string]string
	mismatch             string
}

func newPathRules(o OrphanOptions) (pathRules, error) {
	r := pathRules{schemes: flatten(o.EqualSchemes), authorities: flatten(o.EqualAuthorities), mismatch: strings.ToLower(o.Mismatch)}
	for _, s3 := range []string{"s3a", "s3n"} {
		if _, ok := r.schemes[s3]; !ok {
			r.schemes[s3] = "s3"
		}
	}
	if r.mismatch == "" {
		r.mismatch = "error"
	}
	if !slices.Contains([]string{"error", "ignore", "delete"}, r.mismatch) {
		return r, fmt.Errorf("%w: %q must be error, ignore or delete, got %q", ErrInvalid, "prefix_mismatch_mode", o.Mismatch)
	}
	return r, nil
}

// flatten takes apart keys with commas.
func flatten(m map[string]string) map[string]string {
	flat := map[string]string{}
	for keys, value := range m {
		for key := range strings.SplitSeq(keys, ",") {
			flat[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return flat
}

// split takes a location apart as text: what stands before the path, with equal
// schemes and authorities made one, and the path without repeated slashes.
func (r pathRules) split(location string) (prefix, path string) {
	scheme, authority := "file", ""
	if before, rest, ok := strings.Cut(location, "://"); ok {
		scheme = before
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			slash = len(rest)
		}
		authority, path = rest[:slash], rest[slash:]
	} else if before, rest, ok := strings.Cut(location, ":/"); ok && !strings.Contains(before, "/") {
		scheme, path = before, location[len(location)-len(rest)-1:]
	} else {
		path = location
	}
	if same, ok := r.schemes[scheme]; ok {
		scheme = same
	}
	if same, ok := r.authorities[authority]; ok {
		authority = same
	}
	if scheme == "file" && authority == "" {
		return "file://", onceSlashed(path)
	}
	return scheme + "://" + authority, onceSlashed(path)
}

// onceSlashed is a path that begins with a slash and has no two side by side and
// none at the end.
func onceSlashed(path string) string {
	if strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && (len(path) == 1 || !strings.HasSuffix(path, "/")) {
		return path
	}
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
	return "/" + strings.Join(parts, "/")
}
