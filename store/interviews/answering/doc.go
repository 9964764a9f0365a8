// Package answering is the trader's side of an interview: the session behind a link, consent, the
// check of the device, takes and their uploads, and the submission.
package answering
