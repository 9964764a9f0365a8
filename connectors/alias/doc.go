// Package alias decodes pages of JSON records whose members may have several names.
//
// A connector describes the records of a stream once, as a [Table]: for every field
// its aliases in priority order and how tolerant to be. [ReadPage] then checks the
// syntax of a body and cuts it into records, and a [Decoder] reads one record after
// the other through the table. A fault in a record either rejects the record, so
// that it can go to quarantine, or costs it one optional field and leaves a
// finding. It never fails the page.
//
// Numbers never pass through a float: ids keep their digits and amounts become a
// record.Decimal. Strings are cut out of one copy of the page, so a record costs
// next to no allocation. Text that a database cannot hold is repaired on the way.
package alias
