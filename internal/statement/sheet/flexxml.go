package sheet

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"
)

// flexXML is the answer to a Flex query of Interactive Brokers as XML. Its rows are those of the
// same query as CSV: the names of the attributes of executions where they change, and their values.
type flexXML struct {
	r        io.ReaderAt
	size     int64
	encoding textEncoding
}

// isFlexXML reports whether the beginning of a file is that of an answer to a Flex query.
func isFlexXML(head []byte) bool { return strings.Contains(markupText(head), "<flexqueryresponse") }

func openFlexXML(r io.ReaderAt, size int64, head []byte) (Source, error) {
	encoding, err := sniffEncoding(io.NewSectionReader(r, 0, size), head, "")
	if err != nil {
		return nil, err
	}
	return &flexXML{r, size, encoding}, nil
}

// maxAttributes bounds the attributes of an element. A Flex query has about a hundred.
const maxAttributes = 1000

// Each implements Source.
func (x *flexXML) Each(ctx context.Context, f func(*Row) error) error {
	in := &tokenReader{Reader: bufio.NewReaderSize(x.encoding.decodeFile(x.r, x.size), 64<<10)}
	decoder := xml.NewDecoder(in)
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // it has been decoded
	var names, before []string
	cells := []Cell{}
	give := func(texts []string) error {
		cells = cells[:0]
		for _, text := range texts {
			cells = append(cells, Cell{Text: strings.TrimSpace(text)})
		}
		if CountFilled(cells) == 0 {
			return nil
		}
		line, _ := decoder.InputPos()
		return f(&Row{Line: line, Cells: cells})
	}
	ended := false
	for rows := 0; ; {
		in.left = maxTagBytes
		token, err := decoder.RawToken()
		if err != nil {
			return endXML(decoder, err, ended)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "FlexQueryResponse" {
			ended = true
		}
		element, ok := token.(xml.StartElement)
		if !ok || !isExecution(element.Name.Local) {
			continue
		}
		if len(element.Attr) > maxAttributes {
			return tooManyColumns()
		}
		if rows++; rows > maxRows {
			return tooManyRows()
		}
		if rows%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var values []string
		names = names[:0]
		for _, a := range element.Attr {
			names, values = append(names, a.Name.Local), append(values, a.Value)
		}
		if !slices.Equal(names, before) {
			if err := give(names); err != nil {
				return err
			}
			before = slices.Clone(names)
		}
		if err := give(values); err != nil {
			return err
		}
	}
}

// endXML returns what the error says with which the decoder ended: nothing at the end of the file,
// if the root element has ended before.
func endXML(decoder *xml.Decoder, err error, ended bool) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return refusal.New(refusal.NotUnderstood, "Line %d: the XML is broken, so the file was truncated or changed. Export it again.", syntax.Line)
	case !errors.Is(err, io.EOF):
		return err
	case !ended:
		line, _ := decoder.InputPos()
		return refusal.New(refusal.NotUnderstood, "Line %d: the file ends before its XML does, so it was truncated. Export it again.", line)
	}
	return nil
}

// isExecution reports whether an element is an execution or an order: of a query of activity, or of
// one of confirmations.
func isExecution(name string) bool {
	return name == "Trade" || name == "Order" || name == "TradeConfirm"
}

// tokenReader bounds how much is read for one token, which the decoder holds in memory.
type tokenReader struct {
	*bufio.Reader
	left int
}

// ReadByte implements io.ByteReader, by which the decoder reads.
func (t *tokenReader) ReadByte() (byte, error) {
	if t.left--; t.left < 0 {
		return 0, refusal.New(refusal.NotUnderstood, "The XML has an element or a text of more than %d MiB. Export it again.", maxTagBytes>>20)
	}
	return t.Reader.ReadByte()
}

// Describe implements Source.
func (x *flexXML) Describe() Description { return Description{Kind: XML, Encoding: x.encoding.name} }
