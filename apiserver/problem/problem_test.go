package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/seal"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		problem *problem.Problem
		headers map[string]string
		want    string
	}{
		{
			name:    "a code alone says what the code means",
			problem: problem.New(problem.NotFound, ""),
			want: `{"type":"https://assay.example/problems/not_found","title":"Not found","status":404,` +
				`"detail":"Nothing was found at this URL, or you cannot access it.","code":"not_found","request_id":"req-12345678"}`,
		},
		{
			name: "faults are listed with their place",
			problem: problem.Validation(
				problem.Fault{Pointer: problem.Pointer{}.Member("base_url").String(), Code: problem.URLNotHTTPS, Detail: "must be https"},
				problem.Fault{Parameter: "limit", Code: problem.OutOfRange, Detail: "1 to 100"},
			),
			want: `{"type":"https://assay.example/problems/validation_failed","title":"Validation failed","status":422,` +
				`"detail":"Some values in the request are invalid. See errors for details.",` +
				`"code":"validation_failed","request_id":"req-12345678","errors":[` +
				`{"pointer":"#/base_url","code":"url_not_https","detail":"must be https"},` +
				`{"parameter":"limit","code":"out_of_range","detail":"1 to 100"}]}`,
		},
		{
			name:    "the missing scope is named",
			problem: &problem.Problem{Code: problem.InsufficientScope, Detail: "no", RequiredScope: "traders:read"},
			want: `{"type":"https://assay.example/problems/insufficient_scope","title":"Insufficient scope","status":403,` +
				`"detail":"no","code":"insufficient_scope","request_id":"req-12345678","required_scope":"traders:read"}`,
		},
		{
			name:    "a wait is told in whole seconds, rounded up",
			problem: problem.Unavailable("later", 1500*time.Millisecond, errors.New("password=hunter2")),
			headers: map[string]string{"Retry-After": "2"},
			want: `{"type":"https://assay.example/problems/service_unavailable","title":"Service unavailable","status":503,` +
				`"detail":"later","code":"service_unavailable","request_id":"req-12345678"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := httptest.NewRecorder()
			problem.NewWriter("https://assay.example/").Write(rec, "req-12345678", tt.problem)
			if diff := cmp.Diff(tt.want, rec.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if got := rec.Header().Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			if rec.Code != tt.problem.Status() {
				t.Errorf("status %d, want %d", rec.Code, tt.problem.Status())
			}
			for name, want := range tt.headers {
				if got := rec.Header().Get(name); got != want {
					t.Errorf("%s %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestValidationIsBounded(t *testing.T) {
	t.Parallel()
	faults := make([]problem.Fault, 80)
	if got := len(problem.Validation(faults...).Faults); got != 50 {
		t.Errorf("%d faults are listed, want 50", got)
	}
}

func TestPointer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		got  problem.Pointer
		want string
	}{
		{"root", problem.Pointer{}, "#"},
		{"member of a member's element", problem.Pointer{}.Member("account_scope").Member("platforms").Index(2), "#/account_scope/platforms/2"},
		{"slash and tilde are escaped once", problem.Pointer{}.Member("a/b~c"), "#/a~1b~0c"},
		{"what a fragment cannot hold is percent-encoded", problem.Pointer{}.Member("ä %\""), "#/%C3%A4%20%25%22"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.got.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want problem.Code
	}{
		{"a problem stays itself", fmt.Errorf("handler: %w", problem.New(problem.Conflict, "x")), problem.Conflict},
		{"missing row", fmt.Errorf("trader 7: %w", store.ErrNotFound), problem.NotFound},
		{"second row", fmt.Errorf("x: %w", store.ErrConflict), problem.Conflict},
		{"attempt in progress", fmt.Errorf("x: %w", idempotency.ErrInProgress), problem.IdempotencyInProgress},
		{"attempt taken over", fmt.Errorf("x: %w", store.ErrFenced), problem.IdempotencyInProgress},
		{"another payload", fmt.Errorf("x: %w", idempotency.ErrKeyReused), problem.IdempotencyKeyReused},
		{"body limit", fmt.Errorf("x: %w", &http.MaxBytesError{Limit: 1}), problem.PayloadTooLarge},
		{"deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), problem.ServiceUnavailable},
		{"a full disk", fmt.Errorf("x: %w", blob.ErrFull), problem.ServiceUnavailable},
		{"a key that the keyring lacks", fmt.Errorf("x: %w", seal.ErrUnknownKey), problem.ServiceUnavailable},
		{"blobs that are away", fmt.Errorf("x: %w", blob.ErrUnavailable), problem.ServiceUnavailable},
		{"anything else", errors.New("relation traders does not exist"), problem.InternalError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := problem.From(tt.err); got.Code != tt.want {
				t.Errorf("got %s, want %s", got.Code, tt.want)
			}
		})
	}
}

func TestUnknownErrorsShowNothing(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	problem.NewWriter("https://assay.example").Write(rec, "r", problem.From(errors.New("relation traders does not exist")))
	if strings.Contains(rec.Body.String(), "traders") {
		t.Errorf("the cause is shown: %s", rec.Body)
	}
}

func TestWriteSurvivesWhatJSONCannotHold(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	problem.NewWriter("https://assay.example").Write(rec, "r", problem.New(problem.NotFound, "bad \xff text"))
	var doc map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &doc); err != nil || doc["code"] != "not_found" {
		t.Errorf("body %s (%v)", rec.Body, err)
	}
}
