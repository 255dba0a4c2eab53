// Package filebuf reads small files whole, into memory that is used again.
package filebuf
