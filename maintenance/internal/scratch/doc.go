// Package scratch is room on disk for what does not fit into memory and does not
// outlive the process.
//
// A [Space] bounds how much that is. Its files have no name once they are open,
// so that nothing is left of them however the process ends; a [Log] is such a
// file, to which bytes are appended and read back.
package scratch
