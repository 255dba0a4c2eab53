// Package lakefixture gives a test the lake of testdata: tables that Spark
// wrote, in a SQLite catalog and an S3 bucket.
//
// [Open] returns a private copy. The bucket is served in process over HTTP, so
// that S3 is really spoken and paths stay s3://lake/…; reads fall through to
// testdata, writes and deletes stay in memory. Copies are cheap: a test opens as
// many as it likes.
//
// A Lake also judges what a test did to it: [Lake.Check] compares rows with
// those that Spark wrote, looks for files that are referenced and gone, and for
// files that are there and unreferenced. It reads behind the server's back, so
// that [Lake.Requests] counts the requests of the tested code alone.
package lakefixture
