package alias

// Identity names a decoded record.
type Identity interface {
	// Names returns the key under which the record goes to quarantine, should
	// it be rejected (empty: a hash of its text), and the id under which a
	// finding shows it.
	Names() (key, id string)
}

// DecodeAll decodes the records of a page, in their order, and returns those
// that can be used; nil when there are no items. accepted is called for each
// of these and may note findings that show only beside other records.
func DecodeAll[T any, I Identity](d *Decoder, items []string, decode func(*Record) (T, I), accepted func(*Decoder, I)) []T {
	if len(items) == 0 {
		return nil
	}
	records := make([]T, 0, len(items))
	for _, item := range items {
		decoded, who := decode(d.Next(item))
		if key, id := who.Names(); d.Accept(key, id) {
			records = append(records, decoded)
			accepted(d, who)
		}
	}
	return records
}
