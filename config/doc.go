// Package config reads firn.yaml: which catalogs there are, where to listen,
// where to keep data, who may connect. A .pyiceberg.yaml is accepted as it is.
package config
