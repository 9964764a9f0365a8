// Package webhooks stores an organization's webhook endpoints and the deliveries to them, and has
// the statements of the process that delivers. Package store writes events and their deliveries, in
// the transactions of the changes.
package webhooks
