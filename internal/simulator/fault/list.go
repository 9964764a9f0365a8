package fault

import (
	"slices"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// List is the records of a page with what wraps them. The zero Shape is the
// contracts': an object with the array as data.
type List struct {
	Records [][]byte
	Shape   Shape
}

// Shape is how a list is wrapped.
type Shape struct {
	Member   string // instead of data; "-" leaves the envelope out
	IsNull   bool   // null instead of the array
	TwoLists bool
}

// Append writes the list in its shape. After the records, rest appends the other
// members of the envelope, beginning with a comma.
func (l *List) Append(dst []byte, rest func(dst []byte) []byte) []byte {
	switch l.Shape.Member {
	case "-":
		return l.appendRecords(dst)
	case "":
		dst = append(dst, `{"data":`...)
	default:
		dst = append(wire.AppendString(append(dst, '{'), l.Shape.Member), ':')
	}
	dst = l.appendRecords(dst)
	if l.Shape.TwoLists {
		dst = l.appendRecords(append(dst, `,"items":`...))
	}
	return append(rest(dst), '}')
}

func (l *List) appendRecords(dst []byte) []byte {
	if l.Shape.IsNull {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, record := range l.Records {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, record...)
	}
	return append(dst, ']')
}

// Shapes returns the faults that wrap the list of a page in another form.
func Shapes[Q, P any](list func(*P) *List) []Fault[Q, P] {
	shape := func(name, description string, s Shape) Fault[Q, P] {
		return Fault[Q, P]{Name: name, Description: description, Page: func(_ *Q, p *P, _ *Options) { list(p).Shape = s }}
	}
	return []Fault[Q, P]{
		shape("data-null", "sends data: null instead of an array", Shape{IsNull: true}),
		shape("bare-array", "sends the array without an envelope, so that nothing tells whether there are more pages", Shape{Member: "-"}),
		shape("envelope-items", "sends the array as items, which is accepted", Shape{Member: "items"}),
		shape("envelope-results", "sends the array as results, which is accepted", Shape{Member: "results"}),
		shape("envelope-records", "sends the array as records, which is accepted", Shape{Member: "records"}),
		shape("envelope-unknown", "sends the array under a member that nobody knows", Shape{Member: "rows"}),
		shape("two-lists", "sends the records twice, as data and as items", Shape{TwoLists: true}),
	}
}

// Selection returns the faults that put the right records on a page in the
// wrong order or number.
func Selection[Q, P any](list func(*P) *List) []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "unordered", Description: "sends each page's records in reverse",
			Page: func(_ *Q, p *P, _ *Options) { slices.Reverse(list(p).Records) },
		},
		{
			Name: "duplicate-records", Description: "sends every record of a page twice, in the page",
			Page: func(_ *Q, p *P, _ *Options) {
				list(p).Records = append(list(p).Records, list(p).Records...)
			},
		},
	}
}
