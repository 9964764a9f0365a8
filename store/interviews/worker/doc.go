// Package worker is what a process that works on the steps of interviews needs: claims under a lease,
// and results that commit together with the check of the claim.
package worker
