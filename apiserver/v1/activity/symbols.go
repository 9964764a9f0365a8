package activity

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/instrument"
	"github.com/assayhq/assay/store/activity"
)

// Bounds of symbol mappings. A firm has a few hundred symbols.
const (
	maxMappings    = 500
	maxSymbolBytes = 64
)

// mappingsBody is the symbols that the organization says are another name of an instrument.
//
//openapi:name SymbolMappings
type mappingsBody struct {
	Mappings []mappingBody `json:"mappings" api:"items=500"` // mappings in the order in which they were set
}

// mappingBody says which instrument a symbol is a name of.
//
//openapi:name SymbolMapping
type mappingBody struct {
	Symbol     string `json:"symbol" api:"max=64" example:"US30.cash"` // symbol as a platform or file writes it
	Instrument string `json:"instrument" api:"max=64" example:"US30"`  // instrument that it is a name of
}

func mappingsOf(mappings []activity.SymbolMapping) mappingsBody {
	return mappingsBody{response.ConvertRows(mappings, func(m activity.SymbolMapping) mappingBody { return mappingBody(m) })}
}

// getSymbolMappings answers GET /v1/analysis/symbols.
func (a *API) getSymbolMappings(w http.ResponseWriter, r *http.Request) error {
	mappings, err := activity.ReadSymbolMappings(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, mappingsOf(mappings))
}

// replaceSymbolMappings answers PUT /v1/analysis/symbols with the new mappings.
func (a *API) replaceSymbolMappings(w http.ResponseWriter, r *http.Request) error {
	condition, err := response.IfMatch(r, mappingsOf)
	if err != nil {
		return err
	}
	mappings, err := decode.BodyOf(r, readMappings)
	if err != nil {
		return err
	}
	if err := activity.ReplaceSymbolMappings(r.Context(), a.store, route.NewChange(r), mappings, condition); err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: mappingsOf(mappings), Item: true}.Write(w)
}

// readMappings reads the body of PUT /v1/analysis/symbols.
func readMappings(o *decode.Object) []activity.SymbolMapping {
	instruments := map[string]string{} // by the symbol in upper case
	mappings := decode.Objects(o, "mappings", maxMappings, func(o *decode.Object) activity.SymbolMapping {
		m := readMapping(o)
		if m.Symbol == "" || m.Instrument == "" {
			return m // has a fault
		}
		key := strings.ToUpper(m.Symbol)
		if instruments[key] != "" {
			o.Fault("symbol", problem.InvalidFormat, "Is given twice. Case does not count.")
		}
		instruments[key] = m.Instrument
		return m
	})
	o.Note("mappings", decode.Note{About: "Mappings, which replace all earlier ones. Omit them to have none."})
	for i, m := range mappings.Value {
		if further := instruments[m.Instrument]; further != "" && further != m.Instrument {
			o.At(o.Pointer("mappings").Index(i).Member("instrument"), problem.InvalidFormat,
				fmt.Sprintf("Is itself mapped to %s. Map the symbol to %s.", further, further))
		}
	}
	return append([]activity.SymbolMapping{}, mappings.Value...)
}

func readMapping(o *decode.Object) activity.SymbolMapping {
	symbol := o.Text("symbol", maxSymbolBytes)
	o.Note("symbol", decode.Note{About: "Symbol as a platform or file writes it. Case does not count.", Example: "US30.cash", Least: 1})
	o.Require("symbol", symbol.State)
	if symbol.State == decode.Set && (symbol.Value != strings.TrimSpace(symbol.Value) || decode.Blank(symbol.Value) || strings.ContainsFunc(symbol.Value, unicode.IsControl)) {
		o.Fault("symbol", problem.InvalidFormat, "Must have a visible character, no space at either end, and no control characters.")
	}
	named := o.Text("instrument", maxSymbolBytes)
	o.Note("instrument", decode.Note{About: "Instrument that it is a name of, in upper case, without a broker's suffix or contract month.", Example: "US30", Least: 1})
	o.Require("instrument", named.State)
	if named.State == decode.Set && (decode.Blank(named.Value) || named.Value != instrument.Key(named.Value) || strings.ContainsFunc(named.Value, unicode.IsControl)) {
		o.Fault("instrument", problem.InvalidFormat, "Must be in upper case, without a broker's suffix or contract month, such as US30 or YM.")
	}
	return activity.SymbolMapping{Symbol: symbol.Value, Instrument: named.Value}
}
