// Package table finds the tables of a statement and says what is in them: which known export a header is of, or which of its
// columns have names that are known, on which side a row is, which rows are no trades, and which look like a trade that is damaged.
//
// A table is told what the cells below it hold by SurveyRow, before the rows are read a second time and become trades.
package table
