package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	iceio "github.com/apache/iceberg-go/io"
)

// ofLocation puts the library's error for a location that it has no file system
// for, such as one in HDFS, into words of ours: what is allowed. Others are
// returned as they are.
func ofLocation(err error) error {
	if !errors.Is(err, iceio.ErrIOSchemeNotFound) {
		return err
	}
	what := "the files"
	if found := regexp.MustCompile(`for path ("[^"]*")`).FindStringSubmatch(err.Error()); found != nil {
		what = "files at " + found[1]
	}
	return fmt.Errorf("%w: %s cannot be read or written: allowed are locations in %s", ErrLocation, what, Schemes())
}

// Schemes lists what locations may begin with.
func Schemes() string {
	schemes := slices.DeleteFunc(iceio.GetRegisteredSchemes(), func(scheme string) bool { return scheme == "" })
	slices.Sort(schemes)
	all := strings.Join(schemes, "://, ") + "://"
	if !slices.Contains(schemes, "gs") {
		all += ", and with a build tagged allclouds in Google's and Microsoft's stores"
	}
	return all
}
