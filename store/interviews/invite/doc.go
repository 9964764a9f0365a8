// Package invite creates interviews and their invites: questions, links, retakes, and the end of
// invites that nobody has used in time.
package invite
