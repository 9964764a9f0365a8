// Package interviews stores interviews: what one is, how it is read, and what its changes share: its
// lock, its events, its transitions. The packages below it make the changes, each for one side:
// invite creates interviews, answering is the trader's side, worker and steps make recordings and
// reports, review is the firm's side, and viewing is for those who watch. Each change is made in a
// *store.Tx with the interview's row locked.
package interviews
