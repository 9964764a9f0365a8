// Package pairing makes trades of the deals or fills of a statement: which execution closed what others had opened, how costs and
// results are divided among the trades, and whether the list shows enough to tell.
package pairing
