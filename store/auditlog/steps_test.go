package auditlog_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// auditStep is a change with its expected rows: "action before after", with ids and times replaced.
// No line means no row.
type auditStep struct {
	name   string
	method string // of *store.DB, or a function of a package with the package's name
	do     func(t *testing.T, w *auditWalk) error
	want   []string
}

// auditWalk holds the objects of the steps.
type auditWalk struct {
	orgDB
	c           store.Change
	key         uuid.UUID
	integration integrations.Integration
	manual      uuid.UUID // a trader added by hand
	synced      uuid.UUID // a trader of the platform
	twin        uuid.UUID // a trader who may be the same person
	note, file  uuid.UUID
	comment     uuid.UUID
	hook        uuid.UUID // a webhook endpoint
	delivery    uuid.UUID // of a ping
	interview   uuid.UUID
	token       string // of its first invite
	person      uuid.UUID
	byKey       store.Change // c, unless a person makes the change
}

// Outcomes of live checks.
var (
	passedCheck = integrations.CheckOutcome{OK: true}
	failedCheck = integrations.CheckOutcome{Err: &syncing.Error{Code: "timeout", Message: "no answer", Endpoint: "GET /health", Hint: "make it faster"}}
)

func sumOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

func newToken() (token [32]byte) {
	_, _ = rand.Read(token[:])
	return token
}

// auditSteps makes every kind of change.
func auditSteps() []auditStep {
	settings := `"account_scope":null,"api_key":"***","base_url":"https://a.example","health_status":%q,"is_active":true,"kind":"custom_api","name":%q,"sync_interval_seconds":300`
	nobody := `"country":null,"email":null,"external_id":null,"full_name":"***","phone":null,"status":"active","tags":null`
	return []auditStep{
		{"a key", "access.CreateAPIKey", func(t *testing.T, w *auditWalk) error {
			k, err := access.CreateAPIKey(t.Context(), w.DB, w.c, access.NewAPIKey{
				Name: "Reporting", Prefix: "svc_live_abcdef", SecretHash: sha256.Sum256([]byte("svc_live_secret")), Scopes: []string{"traders:read"}, ExpiresInDays: 30,
			})
			w.key = k.ID
			return err
		}, []string{`api_key.created null {"expires_at":"TIME","name":"Reporting","prefix":"svc_live_abcdef","scopes":["traders:read"]}`}},
		{"a key's revocation", "access.RevokeAPIKey", func(t *testing.T, w *auditWalk) error {
			return access.RevokeAPIKey(t.Context(), w.DB, w.c, w.key)
		}, []string{`api_key.revoked {"revoked_at":null} {"revoked_at":"TIME"}`}},
		{"a key's revocation again", "access.RevokeAPIKey", func(t *testing.T, w *auditWalk) error {
			return access.RevokeAPIKey(t.Context(), w.DB, w.c, w.key)
		}, nil},
		{"an integration", "integrations.Create", func(t *testing.T, w *auditWalk) (err error) {
			w.integration, err = integrations.Create(t.Context(), w.orgDB.DB, w.c, integrations.New{
				Kind: record.CustomAPI, Name: "Desk", BaseURL: "https://a.example", APIKey: seal.NewSecret(walkPlatformKey), SyncIntervalSeconds: 300, Check: passedCheck,
			})
			storetest.Traders(t, w.URL, w.integration, record.Trader{ID: "t-1", FirstName: "Bob", Email: "bob@example.com"}, record.Trader{ID: "t-2", Email: walkEmail})
			w.synced = storetest.One[uuid.UUID](t, w.orgDB.Conn, `SELECT id FROM traders WHERE external_id = 't-1'`)
			return err
		}, []string{`integration.created null {` + fmt.Sprintf(settings, "pending", "Desk") + `}`}},
		{"its settings", "integrations.Update", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.Update(t.Context(), w.orgDB.DB, w.c, w.integration.ID, integrations.Patch{
				Name: new("Desk 2"), APIKey: new(seal.NewSecret(walkNewKey)), Check: &integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1},
			})
			return err
		}, []string{`integration.updated {"api_key":"***","health_status":"pending","name":"Desk"} {"api_key":"***","health_status":"check_failed","name":"Desk 2"}`}},
		{"no settings", "integrations.Update", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.Update(t.Context(), w.orgDB.DB, w.c, w.integration.ID, integrations.Patch{})
			return err
		}, nil},
		{"a check that fails as before", "integrations.RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RecordLiveCheck(t.Context(), w.orgDB.DB, w.c, w.integration.ID, integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 2})
			return err
		}, nil},
		{"a check that passes", "integrations.RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RecordLiveCheck(t.Context(), w.orgDB.DB, w.c, w.integration.ID, integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: 2})
			return err
		}, []string{`integration.checked {"health_status":"check_failed","polled":false} {"health_status":"pending","polled":true}`}},
		{"a check of older settings", "integrations.RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RecordLiveCheck(t.Context(), w.orgDB.DB, w.c, w.integration.ID, integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1})
			return err
		}, nil},
		{"a check that sends the key elsewhere", "integrations.RecordKeySent", func(t *testing.T, w *auditWalk) error {
			return integrations.RecordKeySent(t.Context(), w.orgDB.DB, w.c, w.integration, "https://b.example")
		}, []string{`integration.checked {"base_url":"https://a.example"} {"base_url":"https://b.example"}`}},
		{"a sync", "integrations.RequestSync", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 minute'`)
			_, err := integrations.RequestSync(t.Context(), w.orgDB.DB, w.c, w.integration.ID)
			return err
		}, []string{`integration.sync_requested null null`}},
		{"a sync that is due already", "integrations.RequestSync", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RequestSync(t.Context(), w.orgDB.DB, w.c, w.integration.ID)
			return err
		}, nil},
		{"an audit", "integrations.RequestAudit", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RequestAudit(t.Context(), w.orgDB.DB, w.c, w.integration.ID)
			return err
		}, []string{`integration.audit_requested null null`}},
		{"an audit that waits already", "integrations.RequestAudit", func(t *testing.T, w *auditWalk) error {
			_, err := integrations.RequestAudit(t.Context(), w.orgDB.DB, w.c, w.integration.ID)
			return err
		}, nil},
		{"a trader", "directory.CreateTrader", func(t *testing.T, w *auditWalk) error {
			made, err := directory.CreateTrader(t.Context(), w.orgDB.DB, w.c, directory.NewTrader{FullName: walkName})
			w.manual = made.ID
			return err
		}, []string{`trader.created null {` + nobody + `}`}},
		{"a trader's fields", "directory.UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := directory.UpdateTrader(t.Context(), w.orgDB.DB, w.c, w.manual, directory.TraderPatch{
				Phone: new(new(walkPhone)), Tags: &[]string{walkTag}, Status: new(directory.TraderUnderReview), ExternalID: new(new(walkExternalID)),
			})
			return err
		}, []string{`trader.updated {"external_id":null,"phone":null,"status":"active","tags":null} {"external_id":"***","phone":"***","status":"under_review","tags":"***"}`}},
		{"no fields", "directory.UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := directory.UpdateTrader(t.Context(), w.orgDB.DB, w.c, w.manual, directory.TraderPatch{})
			return err
		}, nil},
		{"a trader who turns out to be another", "directory.UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := directory.UpdateTrader(t.Context(), w.orgDB.DB, w.c, w.manual, directory.TraderPatch{Email: new(new(walkEmail)), ExternalID: new(*string)})
			return err
		}, []string{
			`trader.updated {"email":null,"external_id":"***"} {"email":"***","external_id":null}`,
			`trader.merged {"external_id":null} {"external_id":"***","merged_id":"ID"}`,
		}},
		{"a trader who is known already", "directory.CreateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := directory.CreateTrader(t.Context(), w.orgDB.DB, w.c, directory.NewTrader{FullName: walkName, Email: new("bob@example.com"), Phone: new(walkPhone)})
			return err
		}, []string{`trader.merged {"phone":null} {"merged_id":"ID","phone":"***"}`}},
		{"two traders who are not the same person", "directory.DismissDuplicate", func(t *testing.T, w *auditWalk) error {
			made, err := directory.CreateTrader(t.Context(), w.orgDB.DB, w.c, directory.NewTrader{FullName: walkName})
			w.twin = made.ID
			return errors.Join(err, directory.DismissDuplicate(t.Context(), w.orgDB.DB, w.c, w.synced, w.twin))
		}, []string{`trader.created null {` + nobody + `}`, `trader.duplicate_dismissed null {"other_id":"ID"}`}},
		{"two traders who are, after all", "directory.RestoreDuplicate", func(t *testing.T, w *auditWalk) error {
			return directory.RestoreDuplicate(t.Context(), w.orgDB.DB, w.c, w.synced, w.twin)
		}, []string{`trader.duplicate_restored {"other_id":"ID"} null`}},
		{"two traders who become one", "directory.MergeTraders", func(t *testing.T, w *auditWalk) error {
			_, err := directory.MergeTraders(t.Context(), w.orgDB.DB, w.c, w.synced, w.twin)
			return err
		}, []string{`trader.merged {} {"merged_id":"ID"}`}},
		{"a note", "directory.AddNote", func(t *testing.T, w *auditWalk) error {
			n, err := directory.AddNote(t.Context(), w.orgDB.DB, w.c, w.synced, walkNote)
			w.note = n.ID
			return err
		}, []string{`trader.note_added null {"note_id":"ID"}`}},
		{"a file of trades", "activity.KeepFile", func(t *testing.T, w *auditWalk) error {
			f, err := activity.KeepFile(t.Context(), w.DB, w.c, storetest.ActivityFile(w.synced, "Ada Lovelace.csv", "1,EURUSD"))
			w.file = f.ID
			return err
		}, []string{`activity_file.kept null {"bytes":8,"name":"***","sha256":"` + sumOf("1,EURUSD") + `","trader_id":"ID","trades":1}`}},
		{"the same file", "activity.KeepFile", func(t *testing.T, w *auditWalk) error {
			_, err := activity.KeepFile(t.Context(), w.DB, w.c, storetest.ActivityFile(w.synced, "Ada Lovelace.csv", "1,EURUSD"))
			return err
		}, nil},
		{"the file's end", "activity.DeleteFile", func(t *testing.T, w *auditWalk) error {
			return activity.DeleteFile(t.Context(), w.DB, w.c, w.synced, w.file)
		}, []string{`activity_file.deleted {"bytes":8,"name":"***","sha256":"` + sumOf("1,EURUSD") + `","trader_id":"ID","trades":1} null`}},
		{"a file that says nothing", "activity.RefuseFile", func(t *testing.T, w *auditWalk) error {
			return activity.RefuseFile(t.Context(), w.DB, w.c, w.synced, "file_not_understood")
		}, []string{`activity_file.refused null {"code":"file_not_understood"}`}},
		{"thresholds", "activity.ReplaceRuleset", func(t *testing.T, w *auditWalk) error {
			_, err := activity.ReplaceRuleset(t.Context(), w.DB, w.c, []byte(`{"name":"ours"}`), nil)
			return err
		}, []string{`ruleset.replaced null {"hash":"` + sumOf(`{"name":"ours"}`) + `","number":1}`}},
		{"the same thresholds", "activity.ReplaceRuleset", func(t *testing.T, w *auditWalk) error {
			_, err := activity.ReplaceRuleset(t.Context(), w.DB, w.c, []byte(`{"name":"ours"}`), nil)
			return err
		}, nil},
		{"symbol mappings", "activity.ReplaceSymbolMappings", func(t *testing.T, w *auditWalk) error {
			return activity.ReplaceSymbolMappings(t.Context(), w.DB, w.c, []activity.SymbolMapping{{Symbol: "DJ30", Instrument: "US30"}}, nil)
		}, []string{`organization.symbols_replaced {"mappings":0} {"mappings":1}`}},
		{"the same symbol mappings", "activity.ReplaceSymbolMappings", func(t *testing.T, w *auditWalk) error {
			return activity.ReplaceSymbolMappings(t.Context(), w.DB, w.c, []activity.SymbolMapping{{Symbol: "DJ30", Instrument: "US30"}}, nil)
		}, nil},
		{"a calendar", "activity.ReplaceCalendar", func(t *testing.T, w *auditWalk) error {
			_, err := activity.ReplaceCalendar(t.Context(), w.DB, w.c, activity.Calendar{Body: []byte("time,currency,impact\n"), Events: 0})
			return err
		}, []string{`calendar.replaced null {"events":0,"hash":"` + sumOf("time,currency,impact\n") + `","number":1}`}},
		{"another calendar", "activity.ReplaceCalendar", func(t *testing.T, w *auditWalk) error {
			_, err := activity.ReplaceCalendar(t.Context(), w.DB, w.c, activity.Calendar{Body: []byte("x"), Events: 3})
			return err
		}, []string{`calendar.replaced {"events":0,"hash":"` + sumOf("time,currency,impact\n") + `","number":1} {"events":3,"hash":"` + sumOf("x") + `","number":2}`}},
		{"a note's end", "directory.DeleteNote", func(t *testing.T, w *auditWalk) error {
			return directory.DeleteNote(t.Context(), w.orgDB.DB, w.c, w.synced, w.note)
		}, []string{`trader.note_deleted {"note_id":"ID"} null`}},
		{"a webhook endpoint", "webhooks.CreateEndpoint", func(t *testing.T, w *auditWalk) error {
			made, err := webhooks.CreateEndpoint(t.Context(), w.DB, w.c, webhooks.NewEndpoint{
				URL: "https://hooks.example.com/T0K3N?k=T0K3N", Events: []string{"ping"}, Filters: []event.Filter{{Member: "data.endpoint_id", Values: []string{"x"}}}, Headers: []webhooks.Header{{Name: "X-Key", Value: seal.NewSecret("T0K3N")}},
			})
			w.hook = made.ID
			return err
		}, []string{`webhook.created null {"events":["ping"],"filters":[{"member":"data.endpoint_id","values":["x"]}],"headers":["X-Key"],"kind":"standard","origin":"https://hooks.example.com:443"}`}},
		{"a webhook endpoint's members", "webhooks.UpdateEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.UpdateEndpoint(t.Context(), w.DB, w.c, w.hook, webhooks.EndpointPatch{URL: new("https://hooks.example.com/T0K3M"), IsActive: new(true), Filters: &[]event.Filter{}, Headers: &[]webhooks.Header{{Name: "X-Key", Value: seal.NewSecret("T0K3M")}}})
			return err
		}, []string{`webhook.updated {"filters":[{"member":"data.endpoint_id","values":["x"]}],"headers":["X-Key"],"is_active":true,"origin":"https://hooks.example.com:443","url":"***"} {"filters":[],"headers":["X-Key"],"is_active":true,"origin":"https://hooks.example.com:443","url":"***"}`}},
		{"no members", "webhooks.UpdateEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.UpdateEndpoint(t.Context(), w.DB, w.c, w.hook, webhooks.EndpointPatch{})
			return err
		}, nil},
		{"a signing secret", "webhooks.RotateSecret", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.RotateSecret(t.Context(), w.DB, w.c, w.hook, time.Hour)
			return err
		}, []string{`webhook.secret_rotated null {"grace_period_seconds":3600}`}},
		{"a test", "webhooks.PingEndpoint", func(t *testing.T, w *auditWalk) error {
			d, err := webhooks.PingEndpoint(t.Context(), w.DB, w.c, w.hook)
			w.delivery = d.ID
			return err
		}, []string{`webhook.tested null {"delivery_id":"ID"}`}},
		{"a retry", "webhooks.RetryDelivery", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL`)
			_, err := webhooks.RetryDelivery(t.Context(), w.DB, w.c, w.delivery)
			return err
		}, []string{`webhook.delivery_retried null {"delivery_id":"ID"}`}},
		{"retries of many deliveries", "webhooks.RetryDeliveries", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL`)
			_, err := webhooks.RetryDeliveries(t.Context(), w.DB, w.c, w.hook, webhooks.Resending{})
			return err
		}, []string{`webhook.delivery_retried null {"deliveries":1}`}},
		{"retries of no delivery", "webhooks.RetryDeliveries", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.RetryDeliveries(t.Context(), w.DB, w.c, w.hook, webhooks.Resending{})
			return err
		}, nil},
		{"a webhook endpoint that is sound", "webhooks.JudgeEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.JudgeEndpoint(t.Context(), w.DB, w.c, w.hook, false)
			return err
		}, nil},
		{"a webhook endpoint that is gone", "webhooks.JudgeEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := webhooks.JudgeEndpoint(t.Context(), w.DB, w.c, w.hook, true)
			return err
		}, []string{`webhook.disabled {"is_active":true} {"failing_since":null,"failures":0,"is_active":false,"reason":"gone"}`}},
		{"a webhook endpoint's end", "webhooks.DeleteEndpoint", func(t *testing.T, w *auditWalk) error {
			return webhooks.DeleteEndpoint(t.Context(), w.DB, w.c, w.hook, nil)
		}, []string{`webhook.deleted {"events":["ping"],"is_active":false,"origin":"https://hooks.example.com:443"} null`}},
		{"the organization's settings", "access.UpdateSettings", func(t *testing.T, w *auditWalk) error {
			_, err := access.UpdateSettings(t.Context(), w.DB, w.c, access.SettingsPatch{Contact: new(new(walkEmail)), OffBoxProse: new(true)})
			return err
		}, []string{`organization.updated {"contact":null,"off_box_prose":false} {"contact":"***","off_box_prose":true}`}},
		{"an interview", "invite.Create", func(t *testing.T, w *auditWalk) error {
			made, err := invite.Create(t.Context(), w.DB, w.c, storetest.NewInterview("Charles", "charles@example.com"))
			w.interview, w.token = made.ID, made.Token.Reveal()
			return err
		}, []string{
			`trader.created null {"country":null,"email":"***","external_id":null,"full_name":"***","phone":null,"status":"active","tags":null}`,
			`interview.created null {"assignee_user_id":null,"reason":"other","retake_of_id":null,"retention_days":180,"trader_id":"ID","window_hours":72}`,
		}},
		{"an interview's invite", "invite.Reissue", func(t *testing.T, w *auditWalk) error {
			_, err := invite.Reissue(t.Context(), w.DB, w.c, w.interview, new(24))
			return err
		}, []string{`interview.invite_reissued {"status":"invited"} {"status":"invited","window_hours":24}`}},
		{"an interview's owner", "review.Assign", func(t *testing.T, w *auditWalk) error {
			_, err := review.Assign(t.Context(), w.DB, w.c, w.interview, new(storetest.One[uuid.UUID](t, w.orgDB.Conn, `SELECT id FROM people LIMIT 1`)))
			return err
		}, []string{`interview.assigned {"assignee_user_id":null} {"assignee_user_id":"ID"}`}},
		{"nobody any more", "review.Assign", func(t *testing.T, w *auditWalk) error {
			_, err := review.Assign(t.Context(), w.DB, w.c, w.interview, nil)
			return err
		}, []string{`interview.assigned {"assignee_user_id":"ID"} {"assignee_user_id":null}`}},
		{"nobody again", "review.Assign", func(t *testing.T, w *auditWalk) error {
			_, err := review.Assign(t.Context(), w.DB, w.c, w.interview, nil)
			return err
		}, nil},
		{"a decision", "review.Decide", func(t *testing.T, w *auditWalk) error {
			_, err := review.Decide(t.Context(), w.DB, w.c, w.interview, interviews.DecisionRejected, new(walkNote))
			return err
		}, []string{`interview.decision_recorded {"decision":null} {"decision":"rejected","reason":"***"}`}},
		{"that the trader was told", "review.MarkCommunicated", func(t *testing.T, w *auditWalk) error {
			_, err := review.MarkCommunicated(t.Context(), w.DB, w.c, w.interview, true)
			return err
		}, []string{`interview.communicated {"done":false} {"done":true}`}},
		{"that the trader was told, again", "review.MarkCommunicated", func(t *testing.T, w *auditWalk) error {
			_, err := review.MarkCommunicated(t.Context(), w.DB, w.c, w.interview, true)
			return err
		}, nil},
		{"a share link", "viewing.CreateShare", func(t *testing.T, w *auditWalk) error {
			_, err := viewing.CreateShare(t.Context(), w.DB, w.c, w.interview, 24, true)
			return err
		}, []string{`interview.share_created null {"expires_at":"TIME","include_decision":true,"share_id":"ID"}`}},
		{"a share link's end", "viewing.RevokeShare", func(t *testing.T, w *auditWalk) error {
			return viewing.RevokeShare(t.Context(), w.DB, w.c, w.interview)
		}, []string{`interview.share_revoked {"share_id":"ID"} null`}},
		{"captions", "review.RequestSubtitles", func(t *testing.T, w *auditWalk) error {
			_, err := review.RequestSubtitles(t.Context(), w.DB, w.c, w.interview)
			return err
		}, []string{`interview.subtitles_requested null {"job_id":"ID"}`}},
		{"a report", "review.RegenerateReport", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `UPDATE interviews SET status = 'in_progress', started_at = now() WHERE id = $1`, w.interview)
			_, err := review.RegenerateReport(t.Context(), w.DB, w.c, w.interview)
			w.Exec(t, `UPDATE interviews SET status = 'invited', started_at = NULL WHERE id = $1`, w.interview)
			return err
		}, []string{`interview.report_requested null {"job_id":"ID"}`}},
		{"an interview's activity file", "review.KeepFile", func(t *testing.T, w *auditWalk) error {
			_, err := review.KeepFile(t.Context(), w.DB, w.c, w.interview, storetest.ActivityFile(uuid.Nil, "Ada Lovelace.csv", "2,EURUSD"))
			return err
		}, []string{
			`activity_file.kept null {"bytes":8,"name":"***","sha256":"` + sumOf("2,EURUSD") + `","trader_id":"ID","trades":1}`,
			`interview.activity_file_added null {"bytes":8,"rows":1,"sha256":"` + sumOf("2,EURUSD") + `"}`,
		}},
		{"a comment", "review.AddComment", func(t *testing.T, w *auditWalk) error {
			c, err := review.AddComment(t.Context(), w.DB, w.c, w.interview, review.NewComment{Body: walkNote, Mentions: []uuid.UUID{}})
			w.comment = c.ID
			return err
		}, []string{`interview.comment_added null {"comment_id":"ID","mentions":[]}`}},
		{"a comment's second thought", "review.EditComment", func(t *testing.T, w *auditWalk) error {
			_, err := review.EditComment(t.Context(), w.DB, w.c, w.interview, w.comment, review.NewComment{Body: walkNote, Mentions: []uuid.UUID{}})
			return err
		}, []string{`interview.comment_edited {"comment_id":"ID","mentions":[]} {"comment_id":"ID","mentions":[]}`}},
		{"a mention that is put away", "review.DismissMentions", func(t *testing.T, w *auditWalk) error {
			return review.DismissMentions(t.Context(), w.DB, w.c, w.interview)
		}, nil},
		{"reasons for decisions", "review.ReplaceReasons", func(t *testing.T, w *auditWalk) error {
			return review.ReplaceReasons(t.Context(), w.DB, w.c, []review.Reason{{Text: walkNote}}, nil)
		}, []string{`organization.reasons_replaced {"reasons":0} {"reasons":1}`}},
		{"the same reasons", "review.ReplaceReasons", func(t *testing.T, w *auditWalk) error {
			return review.ReplaceReasons(t.Context(), w.DB, w.c, []review.Reason{{Text: walkNote}}, nil)
		}, nil},
		{"a list's export", "privacy.RecordListExport", func(t *testing.T, w *auditWalk) error {
			return privacy.RecordListExport(t.Context(), w.DB, w.c, privacy.ListExport{List: "trades", Filters: []string{"symbol"}, Of: "trader_id", OwnerID: w.synced})
		}, []string{`organization.list_exported null {"filters":["symbol"],"list":"trades","trader_id":"ID"}`}},
		{"views", "access.ReplaceViews", func(t *testing.T, w *auditWalk) error {
			c := w.c
			if err := w.DB.Bun.NewRaw(`SELECT id FROM people WHERE organization_id = ? LIMIT 1`, c.OrganizationID).Scan(t.Context(), &c.PersonID); err != nil {
				return err
			}
			return access.ReplaceViews(t.Context(), w.DB, c, []access.View{{List: "traders", Name: walkNote, Query: "tag=vip"}}, nil)
		}, nil},
		{"a comment's end", "review.DeleteComment", func(t *testing.T, w *auditWalk) error {
			return review.DeleteComment(t.Context(), w.DB, w.c, w.interview, w.comment)
		}, []string{`interview.comment_deleted {"comment_id":"ID"} null`}},
		{"a transcript's words", "review.CorrectTranscript", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `INSERT INTO interview_transcripts (interview_id, version, engine, quality, transcript) VALUES ($1, 1, 'test', 'draft', '{}')`, w.interview)
			return review.CorrectTranscript(t.Context(), w.DB, w.c, w.interview, "s1", func(json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"segments":[{"text":"` + walkNote + `"}]}`), nil
			})
		}, []string{`interview.transcript_corrected null {"segment_id":"s1"}`}},
		{"a claim", "review.ConfirmClaim", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `INSERT INTO interview_reports (interview_id, version, report) VALUES ($1, 1, '{"claim_checks":[{"id":"c1"}]}')`, w.interview)
			w.Exec(t, `UPDATE interviews SET report_version = 1`)
			_, err := review.ConfirmClaim(t.Context(), w.DB, w.c, w.interview, "c1")
			return err
		}, []string{`interview.claim_confirmed null {"claim_id":"c1","job_id":"ID"}`}},
		{"a claim again", "review.ConfirmClaim", func(t *testing.T, w *auditWalk) error {
			_, err := review.ConfirmClaim(t.Context(), w.DB, w.c, w.interview, "c1")
			return err
		}, nil},
		{"a playback", "viewing.RecordPlayback", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `INSERT INTO interview_media (interview_id, version, kind, duration_ms, bytes, playlist) VALUES ($1, 1, 'video', 1, 1, 'index.m3u8')`, w.interview)
			_, err := viewing.RecordPlayback(t.Context(), w.DB, w.c, w.interview, "198.51.100.0/24")
			return err
		}, []string{`interview.played null null`}},
		{"an export", "privacy.ExportInterview", func(t *testing.T, w *auditWalk) error {
			_, err := privacy.ExportInterview(t.Context(), w.DB, w.c, w.interview)
			return err
		}, []string{`interview.exported null null`}},
		{"a trader's export", "privacy.ExportTrader", func(t *testing.T, w *auditWalk) error {
			_, err := privacy.ExportTrader(t.Context(), w.DB, w.c, w.synced)
			return err
		}, []string{`trader.exported null null`}},
		{"a hold", "review.Hold", func(t *testing.T, w *auditWalk) error {
			_, err := review.Hold(t.Context(), w.DB, w.c, w.interview, new(walkNote))
			return err
		}, []string{`interview.held {"held":false} {"held":true,"reason":"***"}`}},
		{"a hold's end", "review.Release", func(t *testing.T, w *auditWalk) error {
			_, err := review.Release(t.Context(), w.DB, w.c, w.interview)
			return err
		}, []string{`interview.released {"held":true} {"held":false}`}},
		{"a hold's end again", "review.Release", func(t *testing.T, w *auditWalk) error {
			_, err := review.Release(t.Context(), w.DB, w.c, w.interview)
			return err
		}, nil},
		{"a retake", "invite.CreateRetake", func(t *testing.T, w *auditWalk) error {
			w.Exec(t, `UPDATE interviews SET status = 'expired'`)
			_, err := invite.CreateRetake(t.Context(), w.DB, w.c, w.interview, invite.Retake{})
			return err
		}, []string{`interview.created null {"assignee_user_id":null,"reason":"other","retake_of_id":"ID","retention_days":180,"trader_id":"ID","window_hours":24}`}},
		{"an interview's end", "privacy.DeleteInterview", func(t *testing.T, w *auditWalk) error {
			return privacy.DeleteInterview(t.Context(), w.DB, w.c, w.interview)
		}, []string{`interview.deleted {"status":"expired"} null`}},
		{"a trader's erasure", "privacy.EraseTrader", func(t *testing.T, w *auditWalk) error {
			return privacy.EraseTrader(t.Context(), w.DB, w.c, w.synced)
		}, []string{`trader.erased null null`}},
		{"an integration's end", "integrations.Delete", func(t *testing.T, w *auditWalk) error {
			return integrations.Delete(t.Context(), w.orgDB.DB, w.c, w.integration.ID, nil)
		}, []string{`integration.deleted {` + fmt.Sprintf(settings, "pending", "Desk 2") + `} null`}},
		{"a person", "access.CreatePerson", func(t *testing.T, w *auditWalk) error {
			p, err := access.CreatePerson(t.Context(), w.DB, w.c, access.NewPerson{Email: walkEmail, Name: "Viewer 1", Role: access.RoleViewer, PasswordHash: walkPassword})
			w.person = p.ID
			return err
		}, []string{`user.created null {"email":"***","role":"viewer"}`}},
		{"a person's members", "access.UpdatePerson", func(t *testing.T, w *auditWalk) error {
			_, err := access.UpdatePerson(t.Context(), w.DB, w.c, w.person, access.PersonPatch{Name: new("Reviewer 1"), Role: new(access.RoleReviewer)})
			return err
		}, []string{`user.updated {"name":"***","role":"viewer"} {"name":"***","role":"reviewer"}`}},
		{"a person's members as they are", "access.UpdatePerson", func(t *testing.T, w *auditWalk) error {
			_, err := access.UpdatePerson(t.Context(), w.DB, w.c, w.person, access.PersonPatch{Role: new(access.RoleReviewer)})
			return err
		}, nil},
		{"a person's password", "access.SetPassword", func(t *testing.T, w *auditWalk) error {
			_, err := access.SetPassword(t.Context(), w.DB, w.c, w.person, walkPassword)
			return err
		}, []string{`user.password_reset null null`}},
		{"failed sign-ins", "access.RecordFailedSignIns", func(t *testing.T, w *auditWalk) error {
			return access.RecordFailedSignIns(t.Context(), w.DB, w.c, w.person, 3)
		}, []string{`user.sign_in_failed null {"attempts":3}`}},
		{"a sign-in", "access.BeginSession", func(t *testing.T, w *auditWalk) error {
			w.byKey = w.c
			w.c.KeyID, w.c.PersonID = uuid.Nil, w.person
			s, err := access.BeginSession(t.Context(), w.DB, w.c, walkPassword, access.NewSession{TokenHash: newToken(), Method: access.ByPassword})
			w.c.SessionID = s.ID
			return err
		}, []string{`user.signed_in null {"method":"password"}`}},
		{"an own password", "access.ChangePassword", func(t *testing.T, w *auditWalk) error {
			s, err := access.ChangePassword(t.Context(), w.DB, w.c, walkPassword, walkPassword+"2", access.NewSession{TokenHash: newToken(), Method: access.ByPassword})
			w.c.SessionID = s.ID
			return err
		}, []string{`user.password_changed null null`}},
		{"a sign-out everywhere", "access.EndSessions", func(t *testing.T, w *auditWalk) error {
			hash := walkPassword + "2"
			if _, err := access.BeginSession(t.Context(), w.DB, store.Change{OrganizationID: w.c.OrganizationID, PersonID: w.person, By: w.c.By, RequestID: w.c.RequestID, Client: w.c.Client}, hash, access.NewSession{TokenHash: newToken(), Method: access.ByPassword}); err != nil {
				return err
			}
			err := access.EndSessions(t.Context(), w.DB, w.c)
			s, again := access.BeginSession(t.Context(), w.DB, store.Change{OrganizationID: w.c.OrganizationID, PersonID: w.person, By: w.c.By, RequestID: w.c.RequestID, Client: w.c.Client}, hash, access.NewSession{TokenHash: newToken(), Method: access.ByPassword})
			w.c.SessionID = s.ID
			return errors.Join(err, again)
		}, []string{`user.signed_in null {"method":"password"}`, `user.sessions_ended null {"sessions":1}`, `user.signed_out null null`, `user.signed_in null {"method":"password"}`}},
		{"a sign-out", "access.EndSession", func(t *testing.T, w *auditWalk) error {
			return access.EndSession(t.Context(), w.DB, w.c)
		}, []string{`user.signed_out null null`}},
		{"a sign-in elsewhere", "access.BeginExternalSession", func(t *testing.T, w *auditWalk) error {
			c := store.Change{RequestID: w.c.RequestID, Client: w.c.Client}
			account := access.ExternalAccount{Issuer: "https://login.example", Subject: "1", Email: walkEmail}
			found, err := access.ListMemberships(t.Context(), w.DB, account, "")
			if err != nil {
				return err
			}
			s, err := access.BeginExternalSession(t.Context(), w.DB, c, account, found[0], access.NewSession{TokenHash: newToken(), Method: access.ByOIDC})
			w.c.SessionID, w.c.By = s.ID, "Reviewer 1"
			return err
		}, []string{`user.updated {"oidc_linked":false} {"oidc_linked":true}`, `user.signed_in null {"method":"oidc"}`}},
		{"a person is deactivated", "access.UpdateProvisioned", func(t *testing.T, w *auditWalk) error {
			w.c = w.byKey
			_, err := access.UpdateProvisioned(t.Context(), w.DB, w.c, w.person, access.ProvisionedPatch{Active: new(false)})
			return err
		}, []string{`user.updated {"active":true} {"active":false}`}},
		{"a person is activated", "access.UpdateProvisioned", func(t *testing.T, w *auditWalk) error {
			_, err := access.UpdateProvisioned(t.Context(), w.DB, w.c, w.person, access.ProvisionedPatch{Active: new(true), ExternalID: new("00u1")})
			return err
		}, []string{`user.updated {"active":false,"external_id":"***"} {"active":true,"external_id":"***"}`}},
		{"a person's end", "access.RemovePerson", func(t *testing.T, w *auditWalk) error {
			return access.RemovePerson(t.Context(), w.DB, w.c, w.person, nil)
		}, []string{`user.removed {"email":"***","role":"reviewer"} null`}},
		{"a person's end again", "access.RemovePerson", func(t *testing.T, w *auditWalk) error {
			return access.RemovePerson(t.Context(), w.DB, w.c, w.person, nil)
		}, nil},
		{"an organization", "access.Bootstrap", func(t *testing.T, w *auditWalk) error {
			o, _, _, err := access.Bootstrap(t.Context(), w.DB, access.NewOrganization{
				OrganizationName: "Walk", Email: walkEmail, PasswordHash: walkPassword,
				Key: access.NewAPIKey{Name: "First key", Prefix: "svc_live_ghijkl", SecretHash: sha256.Sum256([]byte("svc_live_first")), Scopes: []string{"traders:read"}},
			})
			w.Org = o.ID
			return err
		}, []string{
			`organization.created null {"name":"Walk"}`,
			`user.created null {"email":"***","role":"owner"}`,
			`api_key.created null {"expires_at":null,"name":"First key","prefix":"svc_live_ghijkl","scopes":["traders:read"]}`,
		}},
	}
}
