package avrofile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// nameOf is the name of a field in Avro: its own, if it is letters, digits and
// underscores, or else with the codes of other characters in their place (Java's
// AvroSchemaUtil.makeCompatibleName, which goes by units of UTF-16).
func nameOf(name string) string {
	var out strings.Builder
	for i, unit := range utf16.Encode([]rune(name)) {
		r := rune(unit)
		switch {
		case r == '_', unicode.IsLetter(r), i > 0 && unicode.IsDigit(r):
			out.WriteRune(r)
		case unicode.IsDigit(r):
			out.WriteString("_" + string(r))
		default:
			fmt.Fprintf(&out, "_x%X", unit)
		}
	}
	return out.String()
}
