// Package chain maintains a table with one call. It runs the jobs of packages
// maintenance and rewrite in the order in which none undoes or hampers another:
// data files are rewritten, the deletes that this leaves without data files go,
// position deletes are put together, then the manifests that all this has left;
// old snapshots expire, and last of all go the files that nothing refers to.
//
// A step is a job of the chain. Each is planned on the table as the steps before
// it have left it, is run only if it is worth it, and is durable when it ends.
// Large rewrites are cut into parts, each of which is committed by itself, so
// that a call that is bounded or interrupted loses little and the next one goes
// on where it ended.
package chain
