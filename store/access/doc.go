// Package access holds who may do what: organizations with their settings, API
// keys, people, and the sessions in which they are signed in. It admits and counts
// requests, and confirms that what was revoked or ended does nothing any more.
package access
