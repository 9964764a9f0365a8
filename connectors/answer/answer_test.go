package answer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/answer"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

func TestError(t *testing.T) {
	t.Parallel()
	envelope := alias.Envelope{Lists: answer.Lists(), Members: alias.NewTable(nil)}
	tests := []struct {
		name   string
		body   string
		want   connectors.Code
		broken bool
	}{
		{"a page", `{"data":[]}`, "", false},
		{"any of the names", `{"records":[]}`, "", false},
		{"cut off", `{"data":[`, "", true},
		{"login page", `<html>`, "", true},
		{"no list", `{"data":null}`, connectors.CodeUnexpectedResponse, false},
		{"too many records", "[" + strings.Repeat("1,", alias.MaxRecords) + "1]", connectors.CodeResponseTooLarge, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, cause := alias.ReadPage([]byte(test.body), envelope)
			err := answer.Error(cause)
			var e *connectors.Error
			code := connectors.Code("")
			if errors.As(err, &e) {
				code = e.Code
			}
			if code != test.want || errors.Is(err, fetch.ErrBroken) != test.broken || (err == nil) != (cause == nil) {
				t.Errorf("error %v", err)
			}
			if again := answer.Error(err); e != nil && again != err { //nolint:errorlint // the very same one
				t.Errorf("an error of the seam became %v", again)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		rejected record.Rejected
		want     string
	}{
		{"a member", record.Rejected{Detail: "id is null.", Rule: "required_missing", Pointer: "/id"}, "id is null. (required_missing at /id)"},
		{"the record", record.Rejected{Detail: "It is a list.", Rule: "not_an_object"}, "It is a list. (not_an_object at the record)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := answer.Describe(test.rejected); got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
