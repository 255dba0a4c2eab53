package zcurve

import (
	"encoding/hex"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestJavaVectors compares with what Iceberg's classes computed.
func TestJavaVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 4 {
			continue
		}
		tried[parts[0]]++
		var got []byte
		switch parts[0] {
		case "value":
			got = value(t, parts[1], parts[2])
		case "zorder":
			size, err := strconv.Atoi(parts[2])
			if err != nil {
				t.Fatal(err)
			}
			_, got = ZOrder(columns(t, parts[1]), 2, size)
		case "hilbert":
			_, got = Hilbert(columns(t, parts[1]), 2)
		}
		if parts[0] != "value" {
			// Both rows are the same.
			if string(got[:len(got)/2]) != string(got[len(got)/2:]) {
				t.Errorf("%s: rows differ: %x", line, got)
			}
			got = got[:len(got)/2]
		}
		if hex.EncodeToString(got) != parts[3] {
			t.Errorf("%sgot %x", line, got)
		}
	}
	if tried["value"] < 50 || tried["zorder"] < 50 || tried["hilbert"] < 30 {
		t.Errorf("tried only %v", tried)
	}
}

// value writes a value of the vectors.
func value(t *testing.T, typ, text string) []byte {
	t.Helper()
	name, length, _ := strings.Cut(typ, "/")
	dst := make([]byte, PrimitiveBytes)
	if n, err := strconv.Atoi(length); err == nil {
		dst = make([]byte, n)
	}
	if text == "null" {
		return dst
	}
	switch name {
	case "long", "int":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		PutInt(dst, n)
	case "double", "float":
		bits, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if name == "float" {
			PutFloat(dst, float64(math.Float32frombits(uint32(bits))))
			break
		}
		PutFloat(dst, math.Float64frombits(bits))
	case "string":
		PutString(dst, string(fromHex(t, text)))
	case "binary":
		copy(dst, fromHex(t, text))
	default:
		t.Fatalf("unknown type %q", typ)
	}
	return dst
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// columns are two rows of the same bytes.
func columns(t *testing.T, text string) []Column {
	t.Helper()
	var out []Column
	for _, part := range strings.Split(text, ",") {
		b := fromHex(t, part)
		out = append(out, Column{Width: len(b), Data: append(b, b...)})
	}
	return out
}

func TestPutBool(t *testing.T) {
	for v, want := range map[bool]string{true: "8100000000000000", false: "0000000000000000"} {
		dst := make([]byte, PrimitiveBytes)
		PutBool(dst, v)
		if got := hex.EncodeToString(dst); got != want {
			t.Errorf("%v: got %s", v, got)
		}
	}
}
