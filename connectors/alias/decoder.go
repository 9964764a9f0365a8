package alias

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors/record"
)

// Decoder reads the records of one page through a table, one after the other:
// Next, the record's fields, Accept. It is for one goroutine and one page.
type Decoder struct {
	resource record.Resource
	record   Record
	rejected []record.Rejected
	findings findings
}

// NewDecoder returns a decoder of records of the resource.
func NewDecoder(table *Table, resource record.Resource) *Decoder {
	d := &Decoder{resource: resource}
	d.record = Record{table: table, walker: walker{slots: make([]value, table.slots)}}
	return d
}

// Next begins a record. item is its validated JSON text, as Page.Items has
// them. The Record is valid until the next call.
func (d *Decoder) Next(item string) *Record {
	d.record.beginRecord(item)
	return &d.record
}

// Accept ends the record. It reports whether the record can be used, and keeps
// its findings with sample as an example. Otherwise it keeps the rejection
// under key, or under a hash of the record when key is empty.
func (d *Decoder) Accept(key, sample string, owner record.Owner) bool {
	r := &d.record
	if r.fault != nil {
		if key == "" {
			key = record.RawKey(r.raw)
		}
		r.fault.Key, r.fault.Owner, r.fault.Raw = key, owner, cutRaw(r.raw)
		d.rejected = append(d.rejected, *r.fault)
		return false
	}
	for _, rule := range r.found {
		d.findings.Add(d.resource, rule, sample)
	}
	return true
}

// Find counts a broken rule that a single record does not show.
func (d *Decoder) Find(rule, sample string) { d.findings.Add(d.resource, rule, sample) }

// Rejected returns the records that could not be used, in their order.
func (d *Decoder) Rejected() []record.Rejected { return d.rejected }

// Findings returns the broken rules of all accepted records and of the page.
func (d *Decoder) Findings() []record.Finding { return d.findings.List() }

// cutRaw makes the text of a record storable: bounded and valid UTF-8.
func cutRaw(raw string) string {
	raw = record.TruncateText(raw, record.MaxRawBytes)
	if utf8.ValidString(raw) {
		return raw
	}
	return record.TruncateText(strings.ToValidUTF8(raw, replacement), record.MaxRawBytes)
}

// beginRecord starts a record and checks what concerns it as a whole.
func (r *Record) beginRecord(item string) {
	r.raw, r.fault = item, nil
	r.found = r.found[:0]
	r.kept, r.unrecognized = r.kept[:0], r.unrecognized[:0]
	if item[0] != '{' {
		clear(r.walker.slots)
		r.reject("", RuleNotObject, "The item of the list is not a JSON object.")
		return
	}
	// A record beyond its bounds is read as well, because its id shows when a valid
	// version of it arrives.
	depth := r.walker.walkObject(item, r.table.root)
	switch {
	case len(item) > MaxRecordBytes:
		r.reject("", RuleRecordTooLarge, fmt.Sprintf("The record is larger than %d bytes.", MaxRecordBytes))
	case depth > MaxDepth:
		r.reject("", RuleRecordTooDeep, fmt.Sprintf("The record is nested more than %d levels deep.", MaxDepth))
	}
	if r.walker.duplicate {
		r.Find(RuleDuplicateMember)
	}
}
