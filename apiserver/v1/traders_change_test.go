package v1_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

// person is the part of a Trader that the tests check.
type person struct {
	ID         uuid.UUID
	Source     string
	FullName   *string `json:"full_name"`
	Email      *string
	ExternalID *string `json:"external_id"`
	Country    *string
	Phone      *string
	Status     string
	Tags       []string
	Overrides  []string
	Notes      []struct {
		ID         uuid.UUID
		Body       string
		AuthorName string `json:"author_name"`
	}
}

// newTrader creates a trader through the API.
func (b *testAPI) newTrader(t testing.TB, body string) person {
	t.Helper()
	return decodeInto[person](t, b.send(t, "POST", "/v1/traders", b.key, body).want(t, http.StatusCreated))
}

func TestCreateTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.send(t, "POST", "/v1/traders", b.key, `{
		"full_name": "Zoë Anna Müller", "email": "Zoe@Example.com", "external_id": " crm-1 ", "country": "de", "phone": "+49 (30) 123-456 ext 7", "tags": ["vip", " eu ", "vip"]
	}`).want(t, http.StatusCreated)
	b.golden(t, "trader_created", r)
	made := decodeInto[person](t, r)
	if got := r.header.Get("Location"); got != "https://assay.example/v1/traders/"+made.ID.String() {
		t.Errorf("Location %q", got)
	}
	b.golden(t, "trader_manual", b.send(t, "GET", "/v1/traders/"+made.ID.String(), b.key, nil).want(t, http.StatusOK))
	b.send(t, "POST", "/v1/traders", b.key, `{"full_name": "Other", "external_id": "crm-1"}`).wantTaken(t, "conflict", "#/external_id")
	b.send(t, "POST", "/v1/traders", b.other, `{"full_name": "Other", "external_id": "crm-1"}`).want(t, http.StatusCreated)

	bare := b.newTrader(t, `{"full_name": "Cher", "email": null, "external_id": null, "country": null, "phone": null, "tags": null}`)
	if bare.Email != nil || bare.Tags == nil || len(bare.Tags) != 0 || bare.Status != "active" || bare.Source != "manual" {
		t.Errorf("trader with a name alone: %+v", bare)
	}
}

// TestCreateTraderThatIsSynced creates a trader that the platform has sent already.
func TestCreateTraderThatIsSynced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	id := b.ids(t)["T-1"]
	r := b.send(t, "POST", "/v1/traders", b.key, `{"full_name": "Zoe Miller", "email": "zoe@example.com", "phone": "030 7654321"}`).want(t, http.StatusCreated)
	b.golden(t, "trader_created_synced", r)
	if got := decodeInto[person](t, r); got.ID != id || r.header.Get("Location") != "https://assay.example/v1/traders/"+id.String() {
		t.Errorf("created %s at %s, want the synced trader %s", got.ID, r.header.Get("Location"), id)
	}
	if n := len(b.ids(t)); n != 2 {
		t.Errorf("%d traders in the directory, want 2", n)
	}
}

func TestTraderFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	synced, manual := "/v1/traders/"+b.ids(t)["T-1"].String(), "/v1/traders/"+b.newTrader(t, `{"full_name": "Ada"}`).ID.String()
	text := func(n int) string { return strings.Repeat("ü", n) }
	tests := []struct {
		name   string
		method string
		path   string
		body   string
		want   []string
	}{
		{"no name", "POST", "/v1/traders", `{}`, []string{"#/full_name required"}},
		{"null name", "POST", "/v1/traders", `{"full_name": null}`, []string{"#/full_name required"}},
		{
			"all at once", "POST", "/v1/traders",
			`{"full_name": "\u200b\u00a0\u3164", "email": "zoe", "external_id": "", "country": "DEU", "phone": "call me", "tags": ["", "a\nb"], "status": "active", "source": "manual"}`,
			[]string{
				"#/full_name invalid_format", "#/email invalid_format", "#/external_id invalid_format", "#/country too_long", "#/phone invalid_format",
				"#/tags/0 invalid_format", "#/tags/1 invalid_format", "#/status unknown_field", "#/source unknown_field",
			},
		},
		{
			"wrong types", "POST", "/v1/traders", `{"full_name": 1, "email": {}, "external_id": 7, "country": true, "phone": [], "tags": "vip"}`,
			[]string{"#/full_name wrong_type", "#/email wrong_type", "#/external_id wrong_type", "#/country wrong_type", "#/phone wrong_type", "#/tags wrong_type"},
		},
		{
			"too long", "POST", "/v1/traders",
			`{"full_name": "` + text(201) + `", "email": "` + text(249) + `@ex.de", "external_id": "` + text(201) + `", "phone": "` + strings.Repeat("1", 51) + `", "tags": ["` + text(51) + `"]}`,
			[]string{"#/full_name too_long", "#/email too_long", "#/external_id too_long", "#/phone too_long", "#/tags/0 too_long"},
		},
		{"too many tags", "POST", "/v1/traders", `{"full_name": "x", "tags": [` + strings.TrimSuffix(strings.Repeat(`"a",`, 51), ",") + `]}`, []string{"#/tags too_long"}},
		{"control characters", "POST", "/v1/traders", `{"full_name": "a\u0000", "external_id": "a\tb", "tags": ["\u0007x"]}`, []string{"#/full_name invalid_format", "#/external_id invalid_format", "#/tags/0 invalid_format"}},
		{"a letter that grows", "POST", "/v1/traders", `{"full_name": "x", "country": "ß"}`, []string{"#/country invalid_format"}},
		{"null on a trader made by hand", "PATCH", manual, `{"full_name": null, "status": null, "country": "1"}`, []string{"#/country invalid_format", "#/full_name wrong_type", "#/status wrong_type"}},
		{"unknown status", "PATCH", synced, `{"status": "Active", "kyc_status": "verified"}`, []string{"#/status invalid_format", "#/kyc_status unknown_field"}},
		{"no note", "POST", manual + "/notes", `{}`, []string{"#/body required"}},
		{"null note", "POST", manual + "/notes", `{"body": null}`, []string{"#/body required"}},
		{"blank note", "POST", manual + "/notes", `{"body": " \n\t\u200b"}`, []string{"#/body invalid_format"}},
		{"note with a control character", "POST", manual + "/notes", `{"body": "a\u001bb", "author_name": "me"}`, []string{"#/body invalid_format", "#/author_name unknown_field"}},
		{"note too long", "POST", manual + "/notes", `{"body": "` + text(10_001) + `"}`, []string{"#/body too_long"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.send(t, tt.method, tt.path, b.key, tt.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	for _, body := range []string{
		`{"full_name": "` + text(200) + `", "email": "` + text(248) + `@ex.de", "external_id": "` + text(200) + `", "phone": "` + strings.Repeat("1", 50) + `", "tags": ["` + text(50) + `"]}`,
		`{"full_name": "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "country": "xk", "tags": []}`,
	} {
		b.send(t, "POST", "/v1/traders", b.key, body).want(t, http.StatusCreated)
	}
	b.send(t, "POST", manual+"/notes", b.key, `{"body": "`+text(10_000)+`"}`).want(t, http.StatusCreated)
}

func TestForms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/traders/" + b.newTrader(t, `{"full_name": "Ada"}`).ID.String()
	for member, values := range map[string]struct{ good, bad []string }{
		"email": {
			[]string{"a@b.de", "a.b+c_d@sub.example.co.uk", "zoë@müller.example", "用户@例子.广告", "o'neill@x.test", "root@localhost"},
			[]string{"", "a", "@b.de", "a@", "a@b@c.de", "a b@c.de", "a@b c.de", "a@b..de", "a@.de", "a@de.", "a@-b.de", "a@b-.de", "a@b_c.de", "<a@b.de>", "Ada <a@b.de>", "a,b@c.de", "a\u200b@b.de", "a@b.de\u00a0", "a@[127.0.0.1]"},
		},
		"phone": {
			[]string{"112", "+4930123456", "030/12 34-56", "(030) 123.456", "+1 212 555 0100 ext. 12", "212-555-0100x7"},
			[]string{"", "+", "12", "()", "+49 30 ABC", "1234+5", "030 ext", "030\t123", "٠١٢٣"},
		},
		"country": {[]string{"DE", "de", "xK"}, []string{"", "D", "D1", "d ", "ДЕ"}},
	} {
		for _, v := range values.good {
			b.send(t, "PATCH", path, b.key, map[string]any{member: v}).want(t, http.StatusOK)
		}
		for _, v := range values.bad {
			p := b.send(t, "PATCH", path, b.key, map[string]any{member: v}).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff([]string{"#/" + member + " invalid_format"}, p.faults()); diff != "" {
				t.Errorf("%s %q: faults (-want +got):\n%s", member, v, diff)
			}
		}
	}
}

func TestUpdateTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	path := "/v1/traders/" + b.ids(t)["T-1"].String()
	r := b.send(t, "PATCH", path, b.key, `{"full_name": "Zoe Miller", "email": "z@example.com", "country": "AT", "phone": null, "tags": [], "status": "under_review"}`).want(t, http.StatusOK)
	b.golden(t, "trader_patched", r)
	get := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	if get.body != r.body || get.header.Get("ETag") != r.header.Get("ETag") || r.header.Get("ETag") == "" {
		t.Errorf("PATCH answers\n%s %s\nGET\n%s %s", r.header.Get("ETag"), r.body, get.header.Get("ETag"), get.body)
	}
	dropped := decodeInto[person](t, b.send(t, "PATCH", path, b.key, `{"full_name": null, "email": null, "country": null, "tags": null}`).want(t, http.StatusOK))
	if *dropped.FullName != "Zoë Müller" || *dropped.Email != "Zoe@Example.com" || *dropped.Country != "DE" || !slices.Equal(dropped.Tags, []string{"vip", "<b>"}) || len(dropped.Overrides) != 0 {
		t.Errorf("after dropping what was set: %+v", dropped)
	}
	if again := b.send(t, "PATCH", path, b.key, `{}`).want(t, http.StatusOK); again.body != b.send(t, "GET", path, b.key, nil).body {
		t.Errorf("an empty patch answers %s", again.body)
	}

	ada := b.newTrader(t, `{"full_name": "Ada", "external_id": "m-1", "phone": "112"}`)
	eve := b.newTrader(t, `{"full_name": "Eve"}`)
	cleared := decodeInto[person](t, b.send(t, "PATCH", "/v1/traders/"+ada.ID.String(), b.key, `{"phone": null, "tags": ["x"]}`).want(t, http.StatusOK))
	if cleared.Phone != nil || *cleared.ExternalID != "m-1" || len(cleared.Overrides) != 0 {
		t.Errorf("cleared: %+v", cleared)
	}
	b.send(t, "PATCH", "/v1/traders/"+eve.ID.String(), b.key, `{"external_id": "m-1"}`).wantTaken(t, "conflict", "#/external_id")
}

func TestUpdateTraderOnCondition(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/traders/" + b.newTrader(t, `{"full_name": "Ada"}`).ID.String()
	tag := b.send(t, "GET", path, b.key, nil).header.Get("ETag")
	patch := func(ifMatch string) reply {
		return b.ask(t, request{method: "PATCH", path: path, key: b.key, body: `{"status": "restricted"}`, header: http.Header{"If-Match": {ifMatch}}})
	}
	patch(`"other"`).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	newer := patch(tag).want(t, http.StatusOK).header.Get("ETag")
	patch(tag).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	patch(newer).want(t, http.StatusOK)
}

func TestNotes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	ids := b.ids(t)
	path := "/v1/traders/" + ids["T-1"].String()
	r := b.send(t, "POST", path+"/notes", b.key, `{"body": "first\r\n\tline <b> é"}`).want(t, http.StatusCreated)
	b.golden(t, "note", r)
	b.send(t, "POST", path+"/notes", b.key, `{"body": "second"}`).want(t, http.StatusCreated)
	notes := decodeInto[person](t, b.send(t, "GET", path, b.key, nil)).Notes
	if len(notes) != 2 || notes[0].Body != "second" || notes[1].Body != "first\n\tline <b> é" || notes[0].AuthorName != "test" {
		t.Errorf("notes, newest first: %+v", notes)
	}
	note := "/notes/" + notes[0].ID.String()
	missing := b.send(t, "DELETE", path+"/notes/"+uuid.NewString(), b.key, nil)
	missing.wantProblem(t, http.StatusNotFound, "not_found")
	for name, c := range map[string]struct{ path, key string }{
		"of another trader":       {"/v1/traders/" + ids["T-2"].String() + note, b.key},
		"of another organization": {path + note, b.other},
		"no id":                   {path + "/notes/7", b.key},
	} {
		if r := b.send(t, "DELETE", c.path, c.key, nil); r.status != missing.status || r.body != missing.body {
			t.Errorf("note %s: %d %s, want %d %s", name, r.status, r.body, missing.status, missing.body)
		}
	}
	if r := b.send(t, "DELETE", path+note, b.key, nil).want(t, http.StatusNoContent); r.body != "" {
		t.Errorf("204 with %q", r.body)
	}
	b.send(t, "DELETE", path+note, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	if notes := decodeInto[person](t, b.send(t, "GET", path, b.key, nil)).Notes; len(notes) != 1 {
		t.Errorf("%d notes left, want one", len(notes))
	}
	b.send(t, "POST", "/v1/traders/"+uuid.NewString()+"/notes", b.key, `{"body": ""}`).wantProblem(t, http.StatusNotFound, "not_found")
	conn := storetest.Conn(t, b.databaseURL)
	_, err := conn.Exec(t.Context(), `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name)
SELECT gen_random_uuid(), $1, $2, 'x', 'y' FROM generate_series(1, 999)`, b.org.ID, ids["T-1"])
	check(t, err)
	b.send(t, "POST", path+"/notes", b.key, `{"body": "one too many"}`).wantProblem(t, http.StatusConflict, "conflict")
}

func TestTraderFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	synced := b.ids(t)["T-1"].String()
	b.send(t, "POST", "/v1/traders", b.key, "{\"full_name\": \"Jose\u0301 Ada\", \"country\": \"no\", \"tags\": [\"vip\"]}").want(t, http.StatusCreated)
	gone := b.newTrader(t, `{"full_name": "Gone", "external_id": "g"}`)
	b.send(t, "PATCH", "/v1/traders/"+gone.ID.String(), b.key, `{"status": "archived"}`).want(t, http.StatusOK)
	b.send(t, "PATCH", "/v1/traders/"+synced, b.key, `{"status": "restricted", "country": "AT"}`).want(t, http.StatusOK)
	const zoe, jose, bare, archived = "Zoë Müller", "Jose\u0301 Ada", "", "Gone"
	tests := []struct {
		name  string
		query string
		want  []string
	}{
		{"none", "", []string{jose, bare, zoe}},
		{"source", "source=manual", []string{jose}},
		{"other source", "source=custom_api", []string{bare, zoe}},
		{"source of nobody", "source=partner_platform", nil},
		{"country that a person has set", "country=aT", []string{zoe}},
		{"the platform's country", "country=DE", nil},
		{"country in other case", "country=NO", []string{jose}},
		{"kyc", "kyc_status=verified", []string{zoe}},
		{"kyc in other case", "kyc_status=VERIFIED", nil},
		{"status", "status=restricted", []string{zoe}},
		{"archived", "status=archived", []string{archived}},
		{"several statuses", "status=archived,active", []string{archived, jose, bare}},
		{"tag", "tag=vip", []string{jose, zoe}},
		{"tag with marks", "tag=%3Cb%3E", []string{zoe}},
		{"part of a tag", "tag=vi", nil},
		{"together", "tag=vip&source=custom_api&status=restricted,active&search=ZO", []string{zoe}},
		{"composed for decomposed", "search=jos%C3%A9", []string{jose}},
		{"decomposed for decomposed", "search=" + url.QueryEscape("jose\u0301"), []string{jose}},
		{"spaces around", "search=+zo+", []string{zoe}},
		{"nothing but spaces", "search=++", []string{jose, bare, zoe}},
		{"one character", "search=z", []string{zoe}},
		{"two characters", "search=ad", []string{jose}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := decodeInto[struct {
				Data []struct {
					FullName string `json:"full_name"`
				}
				Meta struct{ Total int }
			}](t, b.send(t, "GET", "/v1/traders?"+tt.query, b.key, nil).want(t, http.StatusOK))
			var got []string
			for _, p := range list.Data {
				got = append(got, p.FullName)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || list.Meta.Total != len(tt.want) {
				t.Errorf("total %d; traders (-want +got):\n%s", list.Meta.Total, diff)
			}
		})
	}
	for _, tt := range []struct{ query, want string }{
		{"source=Manual", "source invalid_format"},
		{"status=active,gone", "status invalid_format"},
		{"status=active,", "status invalid_format"},
		{"status=,", "status invalid_format"},
		{"search=a%0Ab", "search invalid_format"},
		{"search=%C2%85", "search invalid_format"},
		{"country=" + strings.Repeat("x", 61), "country too_long"},
		{"kyc_status=" + strings.Repeat("x", 61), "kyc_status too_long"},
		{"tag=" + strings.Repeat("x", 257), "tag too_long"},
		{"kyc=verified", "kyc unknown_field"},
	} {
		p := b.send(t, "GET", "/v1/traders?"+tt.query, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if diff := cmp.Diff([]string{tt.want}, p.faults()); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", tt.query, diff)
		}
	}
}
