// Package broker gives the exports of brokers that are more than one table, or that say in words what others have in columns, as
// the rows of one plain table. Recognize tells by the first rows of a file whether it is such an export.
package broker
