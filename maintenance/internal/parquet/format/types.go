package format

// Type is a physical type.
type Type int32

// The physical types.
const (
	Boolean   Type = 0
	Int32     Type = 1
	Int64     Type = 2
	Int96     Type = 3
	Float     Type = 4
	Double    Type = 5
	ByteArray Type = 6
	Fixed     Type = 7
)

// Repetition says how often a node may occur in the one around it.
type Repetition int32

// The repetitions.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// The logical types that have parameters.
const (
	LogicalString    = 1
	LogicalMap       = 2
	LogicalList      = 3
	LogicalDecimal   = 5
	LogicalDate      = 6
	LogicalTime      = 7
	LogicalTimestamp = 8
	LogicalInteger   = 10
	LogicalUUID      = 14
	LogicalFloat16   = 15
)

// Encoding is how values are laid out in a page.
type Encoding int32

// The encodings.
const (
	Plain                Encoding = 0
	PlainDictionary      Encoding = 2
	RLE                  Encoding = 3
	BitPacked            Encoding = 4
	DeltaBinaryPacked    Encoding = 5
	DeltaLengthByteArray Encoding = 6
	DeltaByteArray       Encoding = 7
	RLEDictionary        Encoding = 8
	ByteStreamSplit      Encoding = 9
)

// Dictionary says whether values are indices into a dictionary.
func (e Encoding) Dictionary() bool { return e == PlainDictionary || e == RLEDictionary }

// Codec is how pages are compressed.
type Codec int32

// The codecs.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	Brotli       Codec = 4
	Zstd         Codec = 6
	Lz4Raw       Codec = 7
)

// PageType is what a page holds.
type PageType int32

// The types of pages.
const (
	DataPage       PageType = 0
	IndexPage      PageType = 1
	DictionaryPage PageType = 2
	DataPageV2     PageType = 3
)
