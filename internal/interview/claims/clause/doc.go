// Package clause cuts the words of an answer into clauses and reads how each of them is meant: whether it is about
// somebody else, past, a wish, a question, a joke or a guess, under which condition it is so, and what it corrects.
// Commas and periods do not count, because recognizers do not write them.
package clause
