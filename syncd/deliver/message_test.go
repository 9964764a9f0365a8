package deliver_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

// dashboard is the address that messages link to.
const dashboard = "https://assay.example"

// TestMessages writes messages of events, with what a platform could put into them.
func TestMessages(t *testing.T) {
	t.Parallel()
	const integration = `"integration_id":"01980000-0000-7000-8000-000000000002"`
	for _, tt := range []struct {
		name  string
		kind  event.Kind
		named string // the integration
		data  string
		slack string
		teams string
	}{
		{
			"a blocked platform", event.IntegrationBlocked, "Main desk",
			`{` + integration + `,"health_status":"blocked","previous_health_status":"healthy","path":"/v1/integrations/01980000-0000-7000-8000-000000000002"}`,
			`{"blocks":[{"text":{"emoji":false,"text":"Integration blocked","type":"plain_text"},"type":"header"},` +
				`{"fields":[{"text":"*Integration*\nMain desk","type":"mrkdwn","verbatim":true},{"text":"*Health status*\nblocked","type":"mrkdwn","verbatim":true},{"text":"*Previous health status*\nhealthy","type":"mrkdwn","verbatim":true}],` +
				`"text":{"text":"The platform refused the integration's credential. Polling is stopped until a live check passes.\n<https://assay.example/integrations/01980000-0000-7000-8000-000000000002|Open in assay>","type":"mrkdwn","verbatim":true},"type":"section"}],` +
				`"text":"Integration blocked (Main desk): The platform refused the integration's credential. Polling is stopped until a live check passes."}`,
			`{"attachments":[{"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","actions":[{"title":"Open in assay","type":"Action.OpenUrl","url":"https://assay.example/integrations/01980000-0000-7000-8000-000000000002"}],` +
				`"body":[{"size":"Medium","text":"Integration blocked","type":"TextBlock","weight":"Bolder","wrap":true},` +
				`{"text":"The platform refused the integration's credential. Polling is stopped until a live check passes.","type":"TextBlock","wrap":true},` +
				`{"inlines":[{"text":"Integration: ","type":"TextRun","weight":"Bolder"},{"text":"Main desk","type":"TextRun"}],"spacing":"Small","type":"RichTextBlock"},` +
				`{"inlines":[{"text":"Health status: ","type":"TextRun","weight":"Bolder"},{"text":"blocked","type":"TextRun"}],"spacing":"Small","type":"RichTextBlock"},` +
				`{"inlines":[{"text":"Previous health status: ","type":"TextRun","weight":"Bolder"},{"text":"healthy","type":"TextRun"}],"spacing":"Small","type":"RichTextBlock"}],` +
				`"type":"AdaptiveCard","version":"1.4"},"contentType":"application/vnd.microsoft.card.adaptive","contentUrl":null}],"type":"message"}`,
		},
		{
			"a time", event.InterviewCreated, "",
			`{"interview_id":"x","invite_expires_at":"2026-12-01T23:18:25.589195+02:00"}`,
			`{"blocks":[{"text":{"emoji":false,"text":"Interview created","type":"plain_text"},"type":"header"},` +
				`{"fields":[{"text":"*Invite expires at*\n1 Dec 2026, 21:18 UTC","type":"mrkdwn","verbatim":true}],` +
				`"text":{"text":"An interview was created, with an invite for its trader.","type":"mrkdwn","verbatim":true},"type":"section"}],` +
				`"text":"Interview created: An interview was created, with an invite for its trader."}`,
			``,
		},
		{
			"a mention in a platform's text", event.AccountStatusChanged, "<!here>",
			`{"account_id":"x",` + integration + `,"external_id":"<!channel> & <https://evil.example|here>","status":"a\nb","previous_status":null}`,
			`{"blocks":[{"text":{"emoji":false,"text":"Account status changed","type":"plain_text"},"type":"header"},` +
				`{"fields":[{"text":"*Integration*\n&lt;!here&gt;","type":"mrkdwn","verbatim":true},{"text":"*External id*\n&lt;!channel&gt; &amp; &lt;https://evil.example|here&gt;","type":"mrkdwn","verbatim":true},{"text":"*Status*\na b","type":"mrkdwn","verbatim":true}],` +
				`"text":{"text":"The platform reports a different status of an account, or a new account. The event is sent only after the first complete read of the platform's accounts.\n<https://assay.example/integrations/01980000-0000-7000-8000-000000000002|Open in assay>","type":"mrkdwn","verbatim":true},"type":"section"}],` +
				`"text":"Account status changed (&lt;!here&gt;): The platform reports a different status of an account, or a new account. The event is sent only after the first complete read of the platform's accounts."}`,
			``,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			due := &webhooks.DueDelivery{EventType: tt.kind, Data: []byte(tt.data)}
			for kind, want := range map[webhooks.EndpointKind]string{webhooks.KindSlack: tt.slack, webhooks.KindTeams: tt.teams} {
				if want == "" {
					continue
				}
				got, err := deliver.WriteBody(kind, dashboard, tt.named, due)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
	if _, err := deliver.WriteBody("pager", dashboard, "", &webhooks.DueDelivery{}); err == nil {
		t.Error("an unknown kind is sent something")
	}
}

// TestMessagesOfAllEvents writes a message of each kind of event, which has a title, a text
// and a link to a page that the dashboard has, and no id of assay.
func TestMessagesOfAllEvents(t *testing.T) {
	t.Parallel()
	routes, err := os.ReadFile("../../apiserver/web/src/dashboard/routes.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range event.All() {
		var example struct{ Data json.RawMessage }
		if err := json.Unmarshal([]byte(d.Example()), &example); err != nil {
			t.Fatal(err)
		}
		due := &webhooks.DueDelivery{EventType: d.Kind, Data: example.Data}
		for _, kind := range []webhooks.EndpointKind{webhooks.KindSlack, webhooks.KindTeams} {
			body, err := deliver.WriteBody(kind, dashboard, "", due)
			if err != nil || !json.Valid(body) || len(body) > 8<<10 {
				t.Errorf("%s for %s: %v: %s", d.Kind, kind, err, body)
			}
			_, link, found := strings.Cut(string(body), dashboard)
			page, _, _ := strings.Cut(strings.ReplaceAll(link, `"`, "|"), "|")
			if at := strings.Index(page, "/0198"); at >= 0 {
				page = page[:at] + "/{id}"
			}
			if !found || !strings.Contains(string(routes), `path: "`+page+`"`) {
				t.Errorf("%s links to %q, which is no page of the dashboard: %s", d.Kind, page, body)
			}
			if strings.Count(string(body), "-7000-8000-") > 1 {
				t.Errorf("%s shows an id: %s", d.Kind, body)
			}
		}
	}
}

// FuzzMessages gives messages any data. They stay bounded JSON in which Slack finds no mention.
func FuzzMessages(f *testing.F) {
	f.Add(`{"status":"<!here>","path":"/v1/traders/<x>"}`, "<!here>")
	f.Add(`{"a":"`+strings.Repeat("é", 400)+`","b":1e999,"c":[],"d":true}`, "")
	f.Add(`[]`, "Main desk")
	f.Fuzz(func(t *testing.T, data, integration string) {
		due := &webhooks.DueDelivery{EventType: event.TraderUpdated, Data: []byte(data)}
		for _, kind := range []webhooks.EndpointKind{webhooks.KindSlack, webhooks.KindTeams} {
			body, err := deliver.WriteBody(kind, "", integration, due)
			if err != nil {
				continue
			}
			if !json.Valid(body) || !utf8.Valid(body) {
				t.Errorf("%s: %q", kind, body)
			}
			if kind == webhooks.KindSlack && strings.ContainsAny(string(body), "<>") {
				t.Errorf("it mentions somebody: %s", body)
			}
		}
	})
}

// TestEndpointsOfChannels sends a ping and an event to receivers of each kind, over TLS.
func TestEndpointsOfChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publicURL = dashboard
	for _, kind := range []webhooks.EndpointKind{webhooks.KindSlack, webhooks.KindTeams} {
		r := b.receiver(t, nil, "ping")
		r.MadeEndpoint = b.newEndpoint(t, webhooks.NewEndpoint{Kind: kind, URL: r.server.URL + "/hook", Events: []string{"trader.*"}})
		var made []directory.Trader
		for range 8 {
			made = append(made, b.trader(t))
		}
		stop := b.start(t)
		got := r.wait(t, len(made))
		stop()
		b.registry = newRegistry()
		for i, trader := range made { // people read them in this order
			if body := string(got[i].Body); !strings.Contains(body, "Trader created") || !strings.Contains(body, dashboard+"/traders/"+trader.ID.String()) {
				t.Errorf("%s gets at %d %s", kind, i, body)
			}
		}
		if d := b.deliveries(t, r.ID)[0]; d.Status != webhooks.DeliverySucceeded {
			t.Errorf("the delivery for %s is %s", kind, d.Status)
		}
	}
}

// TestMessageNamesIntegration disconnects a platform. The channel is told which one it was.
func TestMessageNamesIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publicURL = dashboard
	made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
		Kind: record.CustomAPI, Name: "Main desk", BaseURL: "https://a.example", APIKey: seal.NewSecret("a-very-secret-key-ab12"), SyncIntervalSeconds: 60,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := b.receiver(t, nil, "ping")
	r.MadeEndpoint = b.newEndpoint(t, webhooks.NewEndpoint{Kind: webhooks.KindSlack, URL: r.server.URL + "/hook", Events: []string{"integration.deleted"}})
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), made.ID, nil); err != nil {
		t.Fatal(err)
	}
	b.start(t)
	if body := string(r.wait(t, 1)[0].Body); !strings.Contains(body, "Integration deleted (Main desk): ") || !strings.Contains(body, `*Integration*\nMain desk`) {
		t.Errorf("the channel gets %s", body)
	}
}

// TestOwnHeaders sends the headers that an endpoint's owner adds, and changes them.
func TestOwnHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil, "ping")
	r.MadeEndpoint = b.newEndpoint(t, webhooks.NewEndpoint{URL: r.server.URL + "/hook", Events: []string{"trader.*"}, Headers: []webhooks.Header{
		{Name: "authorization", Value: seal.NewSecret("Bearer first")}, {Name: "X-Tenant", Value: seal.NewSecret("7")}, {Name: "User-Agent", Value: seal.NewSecret("theirs")},
	}})
	b.trader(t)
	b.start(t)
	first := r.wait(t, 1)[0]
	if h := first.Header; h.Get("Authorization") != "Bearer first" || h.Get("X-Tenant") != "7" || !strings.HasPrefix(h.Get("User-Agent"), "assay-webhooks/") {
		t.Errorf("headers %v", first.Header)
	}
	verify(t, r.Secret, first)
	changed, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), r.ID, webhooks.EndpointPatch{
		Headers: &[]webhooks.Header{{Name: "Authorization", Value: seal.NewSecret("Bearer second")}},
	})
	if err != nil || len(changed.HeaderNames) != 1 {
		t.Fatalf("changed to %v: %v", changed.HeaderNames, err)
	}
	b.trader(t)
	if h := r.wait(t, 2)[1].Header; h.Get("Authorization") != "Bearer second" || h.Get("X-Tenant") != "" {
		t.Errorf("headers %v", h)
	}
	for _, text := range b.Texts(t, `SELECT e::text || s::text FROM webhook_endpoints AS e JOIN webhook_states AS s ON s.endpoint_id = e.id UNION ALL SELECT a::text FROM audit_log AS a`) {
		if strings.Contains(text, "Bearer") {
			t.Errorf("the database shows %s", text)
		}
	}
	if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), r.ID, webhooks.EndpointPatch{Headers: &[]webhooks.Header{}}); err != nil {
		t.Fatal(err)
	}
	b.trader(t)
	if h := r.wait(t, 3)[2].Header; h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
}
