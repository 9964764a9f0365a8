// Package webhooks holds an organization's webhook endpoints, the deliveries to
// them, and what the process that makes the deliveries reads and writes. Events
// and their deliveries are written by package store, with the change that they
// tell of.
package webhooks
