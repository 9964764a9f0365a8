package reference_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(1))
	p.PutTrader(reference.Trader{ID: "a/b c", FirstName: "Åsa"})
	tests := []struct {
		name, method, path, authorization string
		status                            int
		code                              string // of the error body
	}{
		{name: "health", path: "/health", status: 200},
		{name: "traders", path: "/traders", status: 200},
		{name: "trader", path: "/traders/tr_00000003", status: 200},
		{name: "trader with an escaped id", path: "/traders/a%2Fb%20c", status: 200},
		{name: "accounts", path: "/accounts", status: 200},
		{name: "trades", path: "/trades", status: 200},
		{name: "payouts", path: "/payouts", status: 200},
		{name: "scheme in another case", path: "/health", authorization: "bearer " + key, status: 200},
		{name: "no key", path: "/traders", authorization: "-", status: 401, code: "unauthorized"},
		{name: "wrong key", path: "/traders", authorization: "Bearer " + key + "x", status: 401, code: "unauthorized"},
		{name: "empty key", path: "/traders", authorization: "Bearer ", status: 401, code: "unauthorized"},
		{name: "key without scheme", path: "/traders", authorization: key, status: 401, code: "unauthorized"},
		{name: "other scheme", path: "/traders", authorization: "Basic " + key, status: 401, code: "unauthorized"},
		{name: "health without key", path: "/health", authorization: "-", status: 401, code: "unauthorized"},
		{name: "trader without key", path: "/traders/tr_00000003", authorization: "-", status: 401, code: "unauthorized"},
		{name: "unknown trader", path: "/traders/tr_99999999", status: 404, code: "not_found"},
		{name: "trader of another prefix", path: "/traders/ac_00000003", status: 404, code: "not_found"},
		{name: "empty trader id", path: "/traders/", status: 404, code: "not_found"},
		{name: "unknown route", path: "/orders", status: 404, code: "not_found"},
		{name: "deeper route", path: "/traders/tr_00000003/accounts", status: 404, code: "not_found"},
		{name: "trailing slash", path: "/trades/", status: 404, code: "not_found"},
		{name: "post", method: http.MethodPost, path: "/traders", status: 405, code: "method_not_allowed"},
		{name: "delete", method: http.MethodDelete, path: "/traders/tr_00000003", status: 405, code: "method_not_allowed"},
		{name: "head", method: http.MethodHead, path: "/health", status: 405, code: "method_not_allowed"},
		{name: "limit 0", path: "/trades?limit=0", status: 400, code: "invalid_parameter"},
		{name: "limit 501", path: "/trades?limit=501", status: 400, code: "invalid_parameter"},
		{name: "limit 500", path: "/trades?limit=500", status: 200},
		{name: "limit in words", path: "/trades?limit=ten", status: 400, code: "invalid_parameter"},
		{name: "empty limit", path: "/trades?limit=", status: 400, code: "invalid_parameter"},
		{name: "limit twice", path: "/trades?limit=1&limit=2", status: 400, code: "invalid_parameter"},
		{name: "updated_since is a date", path: "/trades?updated_since=2026-01-01", status: 400, code: "invalid_parameter"},
		{name: "updated_since with offset", path: "/trades?updated_since=2026-01-01T00:00:00%2B02:00", status: 200},
		{name: "updated_since with an unescaped plus", path: "/trades?updated_since=2026-01-01T00:00:00+02:00", status: 200},
		{name: "broken query", path: "/trades?limit=%zz", status: 400, code: "invalid_parameter"},
		{name: "broken cursor", path: "/trades?cursor=zzz", status: 400, code: "invalid_cursor"},
		{name: "empty cursor", path: "/trades?cursor=", status: 200},
		{name: "unknown parameter", path: "/trades?color=red", status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method, authorization := tt.method, tt.authorization
			if method == "" {
				method = http.MethodGet
			}
			switch authorization {
			case "":
				authorization = "Bearer " + key
			case "-":
				authorization = ""
			}
			r := platformtest.Do(t, p, method, tt.path, authorization)
			text := platformtest.ReadBody(t, r)
			if r.StatusCode != tt.status {
				t.Fatalf("status %d, want %d: %s", r.StatusCode, tt.status, text)
			}
			if got := r.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type is %q", got)
			}
			var answer struct {
				Error *struct{ Code, Message string }
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if tt.code == "" {
				if answer.Error != nil {
					t.Errorf("unexpected error body %s", text)
				}
				return
			}
			if answer.Error == nil || answer.Error.Code != tt.code || answer.Error.Message == "" {
				t.Errorf("error body %s, want code %s and a message", text, tt.code)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var got struct{ Status string }
	if err := json.Unmarshal([]byte(platformtest.ReadBody(t, platformtest.Get(t, newPlatform(t, reference.Options{Key: key}), "/health"))), &got); err != nil || got.Status != "ok" {
		t.Errorf("health is %+v, %v", got, err)
	}
}

func TestSingleTraderEqualsListed(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(2))
	for _, record := range walk(t, p, "/traders", 100, nil) {
		if diff := cmp.Diff(record, platformtest.ReadBody(t, platformtest.Get(t, p, "/traders/"+headOf(t, record).ID))); diff != "" {
			t.Errorf("single trader differs (-listed +single):\n%s", diff)
		}
	}
}

func TestEmptyPlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, reference.Options{Key: key})
	for _, list := range reference.Resources() {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/"+string(list))); got != `{"data":[],"next_cursor":null}` {
			t.Errorf("%s: %s", list, got)
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    reference.Options
		want string
	}{
		{"no key", reference.Options{}, "no API key"},
		{"negative", reference.Options{Key: key, Firm: firm.Options{Traders: -1}}, "traders is -1"},
		{"trades without accounts", reference.Options{Key: key, Firm: firm.Options{Traders: 5, Trades: 1}}, "trades need accounts"},
		{"payouts without accounts", reference.Options{Key: key, Firm: firm.Options{Payouts: 1}}, "payouts need accounts"},
		{"negative speed", reference.Options{Key: key, Firm: firm.Options{Speed: -1}}, "speed"},
		{"too many accounts", reference.Options{Key: key, Firm: firm.Options{Traders: 10_000_000, AccountsPerTrader: 10}}, "accounts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := reference.New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestOnRequest(t *testing.T) {
	t.Parallel()
	var got []fault.RequestInfo
	o := small(1)
	o.OnRequest = func(i fault.RequestInfo) { got = append(got, i) }
	p := newPlatform(t, o)
	if err := p.SetFault("status-503", fault.Options{After: 1}); err != nil {
		t.Fatal(err)
	}
	platformtest.Get(t, p, "/traders/a%2Fb?x=1")
	platformtest.Get(t, p, "/trades")
	r := httptest.NewRequest(http.MethodPost, "/nothing", strings.NewReader("four"))
	p.ServeHTTP(httptest.NewRecorder(), r)

	type line struct {
		Method, Path, Query, Authorization string
		Body                               int64
		Status                             int
		Faults                             string
	}
	var lines []line
	for _, i := range got {
		lines = append(lines, line{i.Method, i.Path, i.RawQuery, i.Header.Get("Authorization"), i.BodyBytes, i.Status, strings.Join(i.Faults, " ")})
		if i.ResponseBytes == 0 {
			t.Errorf("%s %s: no response bytes", i.Method, i.Path)
		}
	}
	want := []line{
		{Method: "GET", Path: "/traders/a%2Fb", Query: "x=1", Authorization: "Bearer " + key, Status: 404},
		{Method: "GET", Path: "/trades", Authorization: "Bearer " + key, Status: 503, Faults: "status-503"},
		{Method: "POST", Path: "/nothing", Body: 4, Status: 401},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
