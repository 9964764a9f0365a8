package alias

import "github.com/assayhq/assay/connectors/record"

// Identity names a decoded record.
type Identity interface {
	// Names returns the key under which a rejected record goes to quarantine, and
	// the id under which a finding shows it. An empty key means a hash of the
	// record's text.
	Names() (key, id string)
	// BelongsTo returns whose the record is.
	BelongsTo() record.Owner
}

// DecodeAll decodes the records of a page in order, and returns those that can be
// used, or nil if there are no items. accepted is called for each of these and may
// note findings that show only in comparison with other records.
func DecodeAll[T any, I Identity](d *Decoder, items []string, decode func(*Record) (T, I), accepted func(*Decoder, I)) []T {
	if len(items) == 0 {
		return nil
	}
	records := make([]T, 0, len(items))
	for _, item := range items {
		decoded, who := decode(d.Next(item))
		if key, id := who.Names(); d.Accept(key, id, who.BelongsTo()) {
			records = append(records, decoded)
			accepted(d, who)
		}
	}
	return records
}
