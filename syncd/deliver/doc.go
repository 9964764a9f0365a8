// Package deliver sends webhooks. A process claims an endpoint with due deliveries
// under a lease, makes up to four attempts at a time, records their outcome, and
// makes the endpoint due again for the next attempt, if there is one.
//
// An endpoint is claimed as a whole, however many deliveries wait for it. So a dead
// endpoint takes up one place and does not delay the others, and all dead ones
// together take up at most half of the places.
package deliver
