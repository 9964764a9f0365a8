package wire

import (
	"bytes"
	"encoding/json"
)

// EditMember replaces the value of one member; nil drops the member.
func EditMember(record []byte, name string, change func(value []byte) []byte) []byte {
	return Edit(record, func(member string, value []byte) (string, []byte) {
		if member == name {
			value = change(value)
		}
		return member, value
	})
}

// AddMember sets a member at the end of a record.
func AddMember(record []byte, name, value string) []byte {
	record = EditMember(record, name, func([]byte) []byte { return nil })
	if len(record) == 0 || record[len(record)-1] != '}' {
		return record
	}
	return append(record[:len(record)-1], `,"`+name+`":`+value+`}`...)
}

// Edit rewrites the members of a JSON object in their order; a nil value drops
// a member. What is no object is returned as it is.
func Edit(record []byte, change func(name string, value []byte) (string, []byte)) []byte {
	decoder := json.NewDecoder(bytes.NewReader(record))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return record
	}
	edited := []byte{'{'}
	for decoder.More() {
		var value json.RawMessage
		token, err := decoder.Token()
		if err != nil || decoder.Decode(&value) != nil {
			return record
		}
		name, ok := token.(string)
		if !ok {
			return record
		}
		newName, newValue := change(name, value)
		if newValue == nil {
			continue
		}
		if len(edited) > 1 {
			edited = append(edited, ',')
		}
		edited = append(append(AppendString(edited, newName), ':'), newValue...)
	}
	return append(edited, '}')
}
