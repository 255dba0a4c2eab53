package functions

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"net/url"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// binaries are the functions of bytes. Text stands for its bytes in UTF-8.
func binaries() []Function {
	sum := func(doc string, f func([]byte) string, names ...string) Function {
		return Function{Names: names, Usage: "bytes", Doc: doc, min: 1, max: 1, make: func(c call) (sql.Expression, error) {
			return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) { return f(bytesOf(args[0])), nil })
		}}
	}
	return []Function{
		sum("The MD5 sum with hexadecimal digits.", func(b []byte) string { s := md5.Sum(b); return hex.EncodeToString(s[:]) }, "md5"),
		sum("The SHA-1 sum with hexadecimal digits.", func(b []byte) string { s := sha1.Sum(b); return hex.EncodeToString(s[:]) }, "sha1", "sha"),
		sum("The bytes as base64.", base64.StdEncoding.EncodeToString, "base64"),
		{
			Names: []string{"sha2"}, Usage: "bytes, bits", min: 2, max: 2, make: makeSHA2,
			Doc: "The SHA-2 sum of 224, 256, 384 or 512 bits (0 is 256) with hexadecimal digits.",
		},
		{
			Names: []string{"crc32"}, Usage: "bytes", min: 1, max: 1, make: makeCRC32,
			Doc: "The CRC-32 as a number.",
		},
		{
			Names: []string{"unbase64"}, Usage: "text", min: 1, max: 1, make: makeUnbase64,
			Doc: "The bytes that the base64 text says.",
		},
		{
			Names: []string{"hex"}, Usage: "a", min: 1, max: 1, make: makeHex,
			Doc: "The bytes, or the whole number, with hexadecimal digits.",
		},
		{
			Names: []string{"unhex"}, Usage: "text", min: 1, max: 1, make: makeUnhex,
			Doc: "The bytes of hexadecimal digits.",
		},
		{
			Names: []string{"url_encode"}, Usage: "text", min: 1, max: 1, make: makeURLEncode,
			Doc: "The text as it may stand in a URL.",
		},
		{
			Names: []string{"url_decode"}, Usage: "text", min: 1, max: 1, make: makeURLDecode,
			Doc: "The text that url_encode made it of.",
		},
		{
			Names: []string{"decode"}, Usage: "bytes, charset", min: 2, max: 2, make: makeDecode,
			Doc: "The bytes as text; the charset is 'UTF-8' or 'US-ASCII'.",
		},
		{
			Names: []string{"encode"}, Usage: "text, charset", min: 2, max: 2, make: makeEncode,
			Doc: "The text as bytes; the charset is 'UTF-8' or 'US-ASCII'.",
		},
	}
}

func makeSHA2(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		bits, err := small(args[1])
		if err != nil {
			return nil, err
		}
		b := bytesOf(args[0])
		switch bits {
		case 224:
			s := sha256.Sum224(b)
			return hex.EncodeToString(s[:]), nil
		case 0, 256:
			s := sha256.Sum256(b)
			return hex.EncodeToString(s[:]), nil
		case 384:
			s := sha512.Sum384(b)
			return hex.EncodeToString(s[:]), nil
		case 512:
			s := sha512.Sum512(b)
			return hex.EncodeToString(s[:]), nil
		}
		return nil, nil
	})
}

func makeCRC32(c call) (sql.Expression, error) {
	return c.strict(types.Int64, func(_ *sql.Context, args []any) (any, error) {
		return int64(crc32.ChecksumIEEE(bytesOf(args[0]))), nil
	})
}

func makeUnbase64(c call) (sql.Expression, error) {
	return c.strict(types.LongBlob, func(_ *sql.Context, args []any) (any, error) {
		s := text(args[0], nil)
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return nil, valueError(s, "base64 text")
		}
		return b, nil
	})
}

func makeHex(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		switch v := args[0].(type) {
		case []byte, string:
			return strings.ToUpper(hex.EncodeToString(bytesOf(v))), nil
		case decimal.Decimal, float64, float32:
			n, err := integer(v)
			return hexOf(uint64(n)), err
		}
		n, err := integer(args[0])
		return hexOf(uint64(n)), err
	})
}

func hexOf(n uint64) string {
	b := []byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	s := strings.ToUpper(strings.TrimLeft(hex.EncodeToString(b), "0"))
	if s == "" {
		return "0"
	}
	return s
}

// makeUnhex is NULL for other characters; a digit without another is the last
// half of its byte.
func makeUnhex(c call) (sql.Expression, error) {
	return c.strict(types.LongBlob, func(_ *sql.Context, args []any) (any, error) {
		s := text(args[0], nil)
		if len(s)%2 == 1 {
			s = "0" + s
		}
		b, err := hex.DecodeString(s)
		if err != nil {
			return nil, nil
		}
		return b, nil
	})
}

func makeURLEncode(c call) (sql.Expression, error) { return c.ofText(url.QueryEscape) }

func makeURLDecode(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		s := text(args[0], nil)
		decoded, err := url.QueryUnescape(s)
		if err != nil {
			return nil, valueError(s, "text that url_encode gives")
		}
		return decoded, nil
	})
}

// charset checks that argument 1 is a charset whose text is UTF-8 too.
func (c call) charset(v any, b []byte) error {
	switch name := strings.ToUpper(text(v, nil)); name {
	case "UTF-8":
		return nil
	case "US-ASCII":
		if bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x80 }) {
			return c.bad("the text is not all in US-ASCII")
		}
		return nil
	default:
		return c.bad("no charset %q; allowed are UTF-8 and US-ASCII", name)
	}
}

func makeDecode(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		b := bytesOf(args[0])
		return string(b), c.charset(args[1], b)
	})
}

func makeEncode(c call) (sql.Expression, error) {
	return c.strict(types.LongBlob, func(_ *sql.Context, args []any) (any, error) {
		b := bytesOf(args[0])
		return b, c.charset(args[1], b)
	})
}

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
