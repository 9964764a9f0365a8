// Package load joins the analysis with the store: it reads an uploaded file into
// what the store keeps, and loads a trader's data from the store into an analysis.
// Both daemons use it, apiserver within a request and syncd for reports.
package load
