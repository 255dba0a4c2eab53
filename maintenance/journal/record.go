package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
)

// A journal file is a line that names the format, then one line for each change
// of an entry: a checksum of eight hexadecimal digits and the whole entry as
// JSON. The last whole line of an entry counts; a line that was cut off or
// damaged counts for nothing.

// header is the first line.
const header = "firn-journal 1\n"

// errFormat says that a file was written by a version with another format.
var errFormat = errors.New("it has another format")

// encode is an entry as a line.
func encode(e *Entry) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body), nil
}

// decode is encode's inverse; ok is false for a line that encode did not make.
func decode(line []byte) (e Entry, ok bool) {
	sum, body, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !found || len(sum) != 8 {
		return e, false
	}
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || crc32.ChecksumIEEE(body) != uint32(want) {
		return e, false
	}
	return e, json.Unmarshal(body, &e) == nil && e.ID != ""
}

// read reads the entries of a file that are not done, in no order, and how many
// lines were damaged. The error wraps errFormat.
func read(r io.Reader) (entries map[string]Entry, damaged int, err error) {
	entries = map[string]Entry{}
	lines := bufio.NewReader(r)
	for first := true; ; first = false {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return entries, damaged, err
		}
		e, ok := decode(line)
		switch {
		case ok && e.State == done:
			delete(entries, e.ID)
		case ok:
			entries[e.ID] = e
		case first && bytes.HasPrefix(line, []byte("firn-journal ")) && string(line) != header && err == nil:
			return nil, 0, errFormat
		case !first && len(line) > 1:
			damaged++
		}
		if err != nil {
			return entries, damaged, nil
		}
	}
}
