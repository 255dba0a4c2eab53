// Package inflate decompresses DEFLATE (RFC 1951) from memory to memory. Most of
// the time that reading a manifest takes is this; where the whole input and output
// are at hand it takes half of what a reader of streams does.
//
// A code is looked up by as many bits as most codes have at most, all at once; an
// entry of the table says what to do and how many bits that takes, extra bits
// included. Longer codes have tables of their own behind it.
package inflate
