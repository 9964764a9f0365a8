// Package blob stores bytes that are not rows: recordings, segments of video, uploaded files. They
// are in a folder or in an S3-compatible store. The operator chooses with blobs.url, and callers
// see no difference.
//
// A blob appears as a whole or not at all: readers never see one that is being written, and a crash
// leaves the previous one. In a folder it is on disk when Put returns. A key is a path of 1 to 512
// letters, digits, dots, dashes and underscores between slashes, such as
// "interviews/0198.../media/3/seg_00001.m4s".
//
// Nothing here is encrypted: the folder's disk, or the store, should be.
package blob
