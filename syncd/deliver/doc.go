// Package deliver sends webhooks. An endpoint that has something due has one job
// in the queue. Whoever works the job takes the endpoint in hand under a lease,
// makes up to four of its attempts at a time, writes down what came of them, and
// puts the job off until the next attempt, or ends it.
//
// Because an endpoint is one job, whatever waits for it, a dead one takes up one
// place and the others nothing; all dead ones together take up at most half of
// the places.
package deliver
