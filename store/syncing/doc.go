// Package syncing stores the state of reading the platforms of integrations: who may work on which
// one and until when, the open runs and checkpoints of a cycle, its results, and the budget of
// requests. Package ingest writes the pages. The packages below it store what people set up and see:
// integrations, audits and history.
package syncing
