//go:build allclouds

package catalog

// Google's and Microsoft's client libraries make the process a third larger,
// used or not, so that they are built in on demand.
import (
	_ "github.com/apache/iceberg-go/io/gocloud/azure"
	_ "github.com/apache/iceberg-go/io/gocloud/gcs"
)
