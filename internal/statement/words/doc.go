// Package words knows the words of statements: the names of columns, tables and figures in the
// languages in which terminals write them, and currencies.
package words
