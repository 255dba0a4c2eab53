// Package zcurve finds the places of rows on two space-filling curves, byte for
// byte as Iceberg's ZOrderByteUtils and HilbertByteUtils do.
//
// Every column contributes bytes that compare as its values do: eight, or for
// values of any length as many as the caller chose.
package zcurve
