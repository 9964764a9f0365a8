// Package blob keeps bytes that are no rows: recordings, segments of video,
// uploaded files. They lie in a folder or in an S3-compatible store; which of
// the two is the operator's choice (blobs.url), and nobody else can tell.
//
// A blob appears whole or not at all: readers never see one that is being
// written, and a crash leaves the one that was there before. In a folder it is
// on disk when Put returns. A key is a path of 1 to 512 letters, digits, dots,
// dashes and underscores between slashes, such as
// "interviews/0198.../media/3/seg_00001.m4s".
//
// Nothing here is encrypted: the folder's disk, or the store, is to be.
package blob
