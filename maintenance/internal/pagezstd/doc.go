// Package pagezstd compresses pages with zstd, at its default level, without
// more effort than pays.
//
// The search for matches takes nearly all time of a compressor. In pages of
// digests, random identifiers or encrypted text it finds none that pay: all that
// can be gained there is that some bytes are more frequent than others. Such
// pages become frames of literals with Huffman codes (RFC 8878, 3.1.1.3.1), or of
// bytes as they are. Values of four or eight bytes mostly share their high bytes
// with the value before: those are matches (3.1.1.3.2) that need no search. Every
// decoder of zstd reads both. Other pages are left to the compressor, at its lowest
// level where that does about as well. What pays is found out from samples, once
// for many pages of a chunk.
package pagezstd
