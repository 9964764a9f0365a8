// Package integrations stores the connections to platforms: creating, changing and reading them, live
// checks, requests for a sync or an audit, and what shows why an integration does or does not run.
package integrations
