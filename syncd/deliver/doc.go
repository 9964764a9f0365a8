// Package deliver sends webhooks. An endpoint for which something is due is claimed
// under a lease. Its process makes up to four attempts at a time, writes down what
// came of them, and leaves the endpoint due again for the next attempt, if there is
// one.
//
// Because an endpoint is claimed as a whole, whatever waits for it, a dead one takes
// up one place and the others nothing; all dead ones together take up at most half
// of the places.
package deliver
