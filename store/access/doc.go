// Package access stores who may do what: organizations with their settings, API keys, people, and
// their sessions. It admits and counts requests, and confirms that a revoked key or an ended
// session has no effect any more.
package access
