// Package value reads the cells of statements: numbers, dates, clocks and time zones in all forms in which
// platforms write them.
//
// A number such as 1,234 or a date such as 03/04/2026 does not say what it is. So cells are scanned first
// without deciding it, Marks and Dates count what they show, and from what all cells of a file show, the decimal
// mark and the order of day and month are decided once, or the file is refused.
package value
