package maintenance

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"
)

// The library decodes what follows file: as a URI when it opens or removes a
// file, but lists the names that files have. A listed name is therefore a
// location that must not be decoded, and a referenced one is the file of either
// name; and both may lead to a file through symbolic links.

// isLocal says whether a location is in the local file system.
func isLocal(location string) bool {
	scheme, _, ok := strings.Cut(location, ":")
	return !ok || strings.Contains(scheme, "/") || strings.EqualFold(scheme, "file")
}

// decoded is the path of the local file that the library takes location for.
func decoded(location string) (path string, ok bool) {
	if !isLocal(location) {
		return "", false
	}
	if path, ok := strings.CutPrefix(location, "file://"); ok && isPlain(path) {
		return path, true
	}
	path = location
	if scheme, _, uri := strings.Cut(location, ":"); uri && strings.EqualFold(scheme, "file") {
		parsed, err := url.Parse(location)
		if err != nil || parsed.Opaque != "" {
			return "", false
		}
		path = parsed.Path
	}
	return filepath.ToSlash(filepath.Clean(path)), true
}

// isPlain says whether a path stays as it is, clean and decoded.
func isPlain(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.ContainsAny(path, "%?#\\") && !strings.Contains(path, "//") && !strings.Contains(path, "/.") && !strings.HasSuffix(path, "/")
}

// literal is a location spelled so that names listed below it can be put behind.
func literal(location string) string {
	path, ok := decoded(location)
	if _, plain := (pathRules{}).split(location); !ok || path == plain {
		return location
	}
	return "file://" + path
}

// exact is how a listed location is given to the library.
func exact(location string) string {
	if !isLocal(location) || !strings.ContainsAny(location, "%?#") {
		return location
	}
	_, path := pathRules{}.split(location)
	return path
}

// linkDirs follows the symbolic links of folders.
type linkDirs struct {
	mu sync.Mutex
	to map[string]string
}

func newLinkDirs() *linkDirs { return &linkDirs{to: map[string]string{}} }

// mostLinkDirs is how many folders are remembered.
const mostLinkDirs = 1 << 14

// real is a path, which has no two slashes side by side, with the links of its
// folder followed. A path whose folder is not there is itself.
func (l *linkDirs) real(path string) string {
	slash := strings.LastIndexByte(path, '/') + 1
	dir := path[:slash]
	l.mu.Lock()
	to, ok := l.to[dir]
	l.mu.Unlock()
	if !ok {
		to = dir
		if at, err := filepath.EvalSymlinks(dir); err == nil {
			to = strings.TrimSuffix(filepath.ToSlash(at), "/") + "/"
		}
		l.mu.Lock()
		if len(l.to) >= mostLinkDirs {
			clear(l.to)
		}
		l.to[dir] = to
		l.mu.Unlock()
	}
	if to == dir {
		return path
	}
	return to + path[slash:]
}

// spellings are the paths of the folder at a location: as text, and of a local
// one as the library reads it and with its links followed.
func (r pathRules) spellings(location string) []string {
	_, path := r.split(location)
	all := []string{path}
	if local, ok := decoded(location); ok {
		all = append(all, local)
		if to, err := filepath.EvalSymlinks(local); err == nil {
			all = append(all, filepath.ToSlash(to))
		}
	}
	return all
}
