// Package demo is the tutorial that firn demo runs: it makes two tables with
// many small files, runs statements on them through a real MySQL client and
// checks what must hold.
package demo
