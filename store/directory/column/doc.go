// Package column describes the columns of the tables that hold platforms' records, and encodes
// records' values as text for statements and for COPY.
package column
