package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/firndb/firn/procedures"
)

// parseSelector reads the last part of a table's name that selects a version of
// the table, as in t.branch_main; false if it does not. The words match in any
// case, the name of a branch or tag as it is (Java Iceberg: SparkCatalog).
func parseSelector(part string) (version, bool) {
	if name, ok := cutWord(part, "branch_", "tag_"); ok {
		return version{name: name}, name != ""
	}
	if id, ok := cutWord(part, "snapshot_id_"); ok {
		return version{name: id}, isDigits(id)
	}
	if at, ok := cutWord(part, "at_timestamp_"); ok && isDigits(at) {
		ms, err := strconv.ParseInt(at, 10, 64)
		return version{at: time.UnixMilli(ms)}, err == nil
	}
	return version{}, false
}

// cutWord cuts one of the words, in any case, from the beginning of text.
func cutWord(text string, words ...string) (rest string, ok bool) {
	for _, word := range words {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			return text[len(word):], true
		}
	}
	return "", false
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// version is what a statement reads of the entry: what its name selects, or
// what the statement asks for; both at once have no meaning.
func (e entry) version(asked version) (version, error) {
	if e.selector == "" {
		return asked, nil
	}
	if asked != (version{}) {
		return version{}, fmt.Errorf("%w: the name %q selects a version already; leave AS OF out", procedures.ErrArgument, e.selector)
	}
	selected, _ := parseSelector(e.selector)
	return selected, nil
}
