package sqltest

import (
	"fmt"
	"strings"
)

// ParseSparkType reads a type as Spark shows it to people, such as
// map<int,struct<a:bigint>>.
func ParseSparkType(text string) (SparkType, error) {
	typ, rest, err := parseType(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("left over: %q", rest)
	}
	if err != nil {
		return SparkType{}, fmt.Errorf("type %q: %w", text, err)
	}
	return typ, nil
}

// parseType reads a type from the beginning of text and returns what follows.
func parseType(text string) (SparkType, string, error) {
	end := strings.IndexAny(text, "<>,(")
	if end < 0 {
		return SparkType{Name: text}, "", nil
	}
	name, rest := text[:end], text[end:]
	switch rest[0] {
	case '(': // decimal(10,2)
		closing := strings.IndexByte(rest, ')')
		if closing < 0 {
			return SparkType{}, "", fmt.Errorf("no ) in %q", rest)
		}
		return SparkType{Name: name + rest[:closing+1]}, rest[closing+1:], nil
	case '<':
		return parseNested(name, rest[1:])
	}
	return SparkType{Name: name}, rest, nil
}

// parseNested reads what stands between < and >.
func parseNested(name, text string) (SparkType, string, error) {
	typ := SparkType{Name: name}
	var parts []SparkField
	for !strings.HasPrefix(text, ">") {
		text = strings.TrimPrefix(text, ",")
		var part SparkField
		if name == "struct" {
			colon := strings.IndexByte(text, ':')
			if colon < 0 {
				return typ, "", fmt.Errorf("no field name in %q", text)
			}
			part.Name, text = text[:colon], text[colon+1:]
		}
		var err error
		if part.Type, text, err = parseType(text); err != nil {
			return typ, "", err
		}
		if text == "" {
			return typ, "", fmt.Errorf("no > after %s", part.Type.Name)
		}
		parts = append(parts, part)
	}
	text = text[1:]
	switch {
	case name == "struct":
		typ.Fields = parts
	case name == "array" && len(parts) == 1:
		typ.Element = &parts[0].Type
	case name == "map" && len(parts) == 2:
		typ.Key, typ.Element = &parts[0].Type, &parts[1].Type
	default:
		return typ, "", fmt.Errorf("%s of %d types", name, len(parts))
	}
	return typ, text, nil
}
