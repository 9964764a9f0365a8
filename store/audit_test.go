package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// auditLog is the organization's log, the oldest row first.
func (b bundle) auditLog(t *testing.T) []store.AuditRecord {
	t.Helper()
	rows, total, err := b.AuditLog(t.Context(), b.org, store.AuditFilter{}, store.Page{Number: 1, Limit: 100_000})
	if err != nil || total != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(rows), total, err)
	}
	slices.Reverse(rows)
	return rows
}

// verify checks the organization's chain and returns what is wrong with it.
func (b bundle) verify(t *testing.T, noted *store.AuditHead) (store.AuditReport, []string) {
	t.Helper()
	faults := []string{}
	report, err := b.VerifyAudit(t.Context(), store.AuditVerification{
		OrganizationID: b.org, Noted: noted, Found: func(f store.AuditFault) { faults = append(faults, fmt.Sprintf("%s %d-%d", f.Kind, f.First, f.Last)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if int(report.Faults) != len(faults) {
		t.Errorf("%d faults reported, %d told", report.Faults, len(faults))
	}
	return report, faults
}

// intact fails the test unless the chain is whole and has so many rows.
func (b bundle) intact(t *testing.T, rows int64) {
	t.Helper()
	report, faults := b.verify(t, nil)
	if len(faults) > 0 || report.Rows != rows || report.Head.Number != rows {
		t.Errorf("the chain has %d rows and head %s, want %d; faults %v", report.Rows, report.Head, rows, faults)
	}
}

// bootstrapped is how many rows the making of an organization leaves.
const bootstrapped = 3

// Secrets, and what tells who somebody is, that the walk hands to the store.
const (
	walkPlatformKey = "platform-secret-of-the-walk-00ff"
	walkNewKey      = "another-platform-secret-c0ffee-1"
	walkPassword    = "$argon2id$v=19$m=1$of-the-walk"
	walkEmail       = "ada.lovelace@example.com"
	walkName        = "Ada Lovelace"
	walkPhone       = "+44 20 7946 0123"
	walkExternalID  = "crm-4711-ada"
	walkTag         = "countess-of-numbers"
	walkNote        = "Met her brother at the races."
)

// auditStep is a change, and what it leaves: "action before after", with ids
// and times replaced. No line: nothing.
type auditStep struct {
	name   string
	method string // of *store.DB
	do     func(t *testing.T, w *auditWalk) error
	want   []string
}

// auditWalk is the objects that the steps work on.
type auditWalk struct {
	bundle
	c           store.Change
	key         uuid.UUID
	integration store.Integration
	manual      uuid.UUID // a trader made by hand
	synced      uuid.UUID // a trader of the platform
	note, file  uuid.UUID
	hook        uuid.UUID // a webhook endpoint
	delivery    uuid.UUID // of a ping
	interview   uuid.UUID
	token       string // of its first invite
	person      uuid.UUID
	byKey       store.Change // c, as long as no person asks
}

// auditSteps makes every kind of change there is.
func auditSteps() []auditStep {
	settings := `"account_scope":null,"api_key":"***","base_url":"https://a.example","health_status":%q,"is_active":true,"kind":"custom_api","name":%q,"sync_interval_seconds":300`
	nobody := `"country":null,"email":null,"external_id":null,"full_name":"***","phone":null,"status":"active","tags":null`
	return []auditStep{
		{"a key", "CreateAPIKey", func(t *testing.T, w *auditWalk) error {
			k, err := w.CreateAPIKey(t.Context(), w.c, store.NewAPIKey{
				Name: "Reporting", Prefix: "svc_live_abcdef", SecretHash: sha256.Sum256([]byte("svc_live_secret")), Scopes: []string{"traders:read"}, ExpiresInDays: 30,
			})
			w.key = k.ID
			return err
		}, []string{`api_key.created null {"expires_at":"TIME","name":"Reporting","prefix":"svc_live_abcdef","scopes":["traders:read"]}`}},
		{"a key's revocation", "RevokeAPIKey", func(t *testing.T, w *auditWalk) error {
			return w.RevokeAPIKey(t.Context(), w.c, w.key)
		}, []string{`api_key.revoked {"revoked_at":null} {"revoked_at":"TIME"}`}},
		{"a key's revocation again", "RevokeAPIKey", func(t *testing.T, w *auditWalk) error {
			return w.RevokeAPIKey(t.Context(), w.c, w.key)
		}, nil},
		{"an integration", "CreateIntegration", func(t *testing.T, w *auditWalk) (err error) {
			w.integration, err = w.CreateIntegration(t.Context(), w.c, store.NewIntegration{
				Kind: record.CustomAPI, Name: "Desk", BaseURL: "https://a.example", APIKey: seal.NewSecret(walkPlatformKey), SyncIntervalSeconds: 300, Check: passedCheck,
			})
			w.addTraders(t, w.integration, record.Trader{ID: "t-1", FirstName: "Bob", Email: "bob@example.com"}, record.Trader{ID: "t-2", Email: walkEmail})
			w.synced = one[uuid.UUID](t, w.bundle, `SELECT id FROM traders WHERE external_id = 't-1'`)
			return err
		}, []string{`integration.created null {` + fmt.Sprintf(settings, "pending", "Desk") + `}`}},
		{"its settings", "UpdateIntegration", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateIntegration(t.Context(), w.c, w.integration.ID, store.IntegrationPatch{
				Name: ptr("Desk 2"), APIKey: ptr(seal.NewSecret(walkNewKey)), Check: &store.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1},
			})
			return err
		}, []string{`integration.updated {"api_key":"***","health_status":"pending","name":"Desk"} {"api_key":"***","health_status":"check_failed","name":"Desk 2"}`}},
		{"no settings", "UpdateIntegration", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateIntegration(t.Context(), w.c, w.integration.ID, store.IntegrationPatch{})
			return err
		}, nil},
		{"a check that fails as before", "RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := w.RecordLiveCheck(t.Context(), w.c, w.integration.ID, store.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 2})
			return err
		}, nil},
		{"a check that passes", "RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := w.RecordLiveCheck(t.Context(), w.c, w.integration.ID, store.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: 2})
			return err
		}, []string{`integration.checked {"health_status":"check_failed","polled":false} {"health_status":"pending","polled":true}`}},
		{"a check of older settings", "RecordLiveCheck", func(t *testing.T, w *auditWalk) error {
			_, err := w.RecordLiveCheck(t.Context(), w.c, w.integration.ID, store.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1})
			return err
		}, nil},
		{"a sync", "RequestSync", func(t *testing.T, w *auditWalk) error {
			w.exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 minute'`)
			_, err := w.RequestSync(t.Context(), w.c, w.integration.ID)
			return err
		}, []string{`integration.sync_requested null null`}},
		{"a sync that is due already", "RequestSync", func(t *testing.T, w *auditWalk) error {
			_, err := w.RequestSync(t.Context(), w.c, w.integration.ID)
			return err
		}, nil},
		{"a trader", "CreateTrader", func(t *testing.T, w *auditWalk) error {
			made, err := w.CreateTrader(t.Context(), w.c, store.NewTrader{FullName: walkName})
			w.manual = made.ID
			return err
		}, []string{`trader.created null {` + nobody + `}`}},
		{"a trader's fields", "UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateTrader(t.Context(), w.c, w.manual, store.TraderPatch{
				Phone: ptr(ptr(walkPhone)), Tags: &[]string{walkTag}, Status: ptr(store.TraderUnderReview), ExternalID: ptr(ptr(walkExternalID)),
			})
			return err
		}, []string{`trader.updated {"external_id":null,"phone":null,"status":"active","tags":null} {"external_id":"***","phone":"***","status":"under_review","tags":"***"}`}},
		{"no fields", "UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateTrader(t.Context(), w.c, w.manual, store.TraderPatch{})
			return err
		}, nil},
		{"a trader who turns out to be another", "UpdateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateTrader(t.Context(), w.c, w.manual, store.TraderPatch{Email: ptr(ptr(walkEmail)), ExternalID: ptr[*string](nil)})
			return err
		}, []string{
			`trader.updated {"email":null,"external_id":"***"} {"email":"***","external_id":null}`,
			`trader.merged {"external_id":null} {"external_id":"***","merged_id":"ID"}`,
		}},
		{"a trader who is known already", "CreateTrader", func(t *testing.T, w *auditWalk) error {
			_, err := w.CreateTrader(t.Context(), w.c, store.NewTrader{FullName: walkName, Email: ptr("bob@example.com"), Phone: ptr(walkPhone)})
			return err
		}, []string{`trader.merged {"phone":null} {"merged_id":"ID","phone":"***"}`}},
		{"a note", "AddNote", func(t *testing.T, w *auditWalk) error {
			n, err := w.AddNote(t.Context(), w.c, w.synced, walkNote)
			w.note = n.ID
			return err
		}, []string{`trader.note_added null {"note_id":"ID"}`}},
		{"a file of trades", "KeepActivityFile", func(t *testing.T, w *auditWalk) error {
			f, err := w.KeepActivityFile(t.Context(), w.c, activityFile(w.synced, "Ada Lovelace.csv", "1,EURUSD"))
			w.file = f.ID
			return err
		}, []string{`activity_file.kept null {"bytes":8,"name":"***","sha256":"` + sumOf("1,EURUSD") + `","trader_id":"ID","trades":1}`}},
		{"the same file", "KeepActivityFile", func(t *testing.T, w *auditWalk) error {
			_, err := w.KeepActivityFile(t.Context(), w.c, activityFile(w.synced, "Ada Lovelace.csv", "1,EURUSD"))
			return err
		}, nil},
		{"the file's end", "DeleteActivityFile", func(t *testing.T, w *auditWalk) error {
			return w.DeleteActivityFile(t.Context(), w.c, w.synced, w.file)
		}, []string{`activity_file.deleted {"bytes":8,"name":"***","sha256":"` + sumOf("1,EURUSD") + `","trader_id":"ID","trades":1} null`}},
		{"a file that says nothing", "RefuseActivityFile", func(t *testing.T, w *auditWalk) error {
			return w.RefuseActivityFile(t.Context(), w.c, w.synced, "file_not_understood")
		}, []string{`activity_file.refused null {"code":"file_not_understood"}`}},
		{"thresholds", "ReplaceRuleset", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReplaceRuleset(t.Context(), w.c, []byte(`{"name":"ours"}`), nil)
			return err
		}, []string{`ruleset.replaced null {"hash":"` + sumOf(`{"name":"ours"}`) + `","number":1}`}},
		{"the same thresholds", "ReplaceRuleset", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReplaceRuleset(t.Context(), w.c, []byte(`{"name":"ours"}`), nil)
			return err
		}, nil},
		{"a calendar", "ReplaceCalendar", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReplaceCalendar(t.Context(), w.c, store.Calendar{Body: []byte("time,currency,impact\n"), Events: 0})
			return err
		}, []string{`calendar.replaced null {"events":0,"hash":"` + sumOf("time,currency,impact\n") + `","number":1}`}},
		{"another calendar", "ReplaceCalendar", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReplaceCalendar(t.Context(), w.c, store.Calendar{Body: []byte("x"), Events: 3})
			return err
		}, []string{`calendar.replaced {"events":0,"hash":"` + sumOf("time,currency,impact\n") + `","number":1} {"events":3,"hash":"` + sumOf("x") + `","number":2}`}},
		{"a note's end", "DeleteNote", func(t *testing.T, w *auditWalk) error {
			return w.DeleteNote(t.Context(), w.c, w.synced, w.note)
		}, []string{`trader.note_deleted {"note_id":"ID"} null`}},
		{"a webhook endpoint", "CreateWebhookEndpoint", func(t *testing.T, w *auditWalk) error {
			made, err := w.CreateWebhookEndpoint(t.Context(), w.c, store.NewWebhookEndpoint{URL: "https://hooks.example.com/T0K3N?k=T0K3N", Events: []string{"ping"}})
			w.hook = made.ID
			return err
		}, []string{`webhook.created null {"events":["ping"],"origin":"https://hooks.example.com:443"}`}},
		{"a webhook endpoint's members", "UpdateWebhookEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateWebhookEndpoint(t.Context(), w.c, w.hook, store.WebhookPatch{URL: ptr("https://hooks.example.com/T0K3M"), IsActive: ptr(true)})
			return err
		}, []string{`webhook.updated {"is_active":true,"origin":"https://hooks.example.com:443","url":"***"} {"is_active":true,"origin":"https://hooks.example.com:443","url":"***"}`}},
		{"no members", "UpdateWebhookEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateWebhookEndpoint(t.Context(), w.c, w.hook, store.WebhookPatch{})
			return err
		}, nil},
		{"a signing secret", "RotateWebhookSecret", func(t *testing.T, w *auditWalk) error {
			_, err := w.RotateWebhookSecret(t.Context(), w.c, w.hook, time.Hour)
			return err
		}, []string{`webhook.secret_rotated null {"grace_period_seconds":3600}`}},
		{"a test", "PingWebhookEndpoint", func(t *testing.T, w *auditWalk) error {
			d, err := w.PingWebhookEndpoint(t.Context(), w.c, w.hook)
			w.delivery = d.ID
			return err
		}, []string{`webhook.tested null {"delivery_id":"ID"}`}},
		{"a retry", "RetryWebhookDelivery", func(t *testing.T, w *auditWalk) error {
			w.exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL`)
			_, err := w.RetryWebhookDelivery(t.Context(), w.c, w.delivery)
			return err
		}, []string{`webhook.delivery_retried null {"delivery_id":"ID"}`}},
		{"a webhook endpoint that is sound", "JudgeEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := w.JudgeEndpoint(t.Context(), w.c, w.hook, false)
			return err
		}, nil},
		{"a webhook endpoint that is gone", "JudgeEndpoint", func(t *testing.T, w *auditWalk) error {
			_, err := w.JudgeEndpoint(t.Context(), w.c, w.hook, true)
			return err
		}, []string{`webhook.disabled {"is_active":true} {"failing_since":null,"failures":0,"is_active":false,"reason":"gone"}`}},
		{"a webhook endpoint's end", "DeleteWebhookEndpoint", func(t *testing.T, w *auditWalk) error {
			return w.DeleteWebhookEndpoint(t.Context(), w.c, w.hook, nil)
		}, []string{`webhook.deleted {"events":["ping"],"is_active":false,"origin":"https://hooks.example.com:443"} null`}},
		{"the organization's settings", "UpdateOrganization", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdateOrganization(t.Context(), w.c, store.OrganizationPatch{Contact: ptr(ptr(walkEmail)), OffBoxProse: ptr(true)})
			return err
		}, []string{`organization.updated {"contact":null,"off_box_prose":false} {"contact":"***","off_box_prose":true}`}},
		{"an interview", "CreateInterview", func(t *testing.T, w *auditWalk) error {
			made, err := w.CreateInterview(t.Context(), w.c, storetest.NewInterview("Charles", "charles@example.com"))
			w.interview, w.token = made.ID, made.Token.Reveal()
			return err
		}, []string{
			`trader.created null {"country":null,"email":"***","external_id":null,"full_name":"***","phone":null,"status":"active","tags":null}`,
			`interview.created null {"assignee_user_id":null,"reason":"other","retake_of_id":null,"retention_days":180,"trader_id":"ID","window_hours":72}`,
		}},
		{"an interview's invite", "ReissueInvite", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReissueInvite(t.Context(), w.c, w.interview, ptr(24))
			return err
		}, []string{`interview.invite_reissued {"status":"invited"} {"status":"invited","window_hours":24}`}},
		{"an interview's owner", "AssignInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.AssignInterview(t.Context(), w.c, w.interview, ptr(one[uuid.UUID](t, w.bundle, `SELECT id FROM people LIMIT 1`)))
			return err
		}, []string{`interview.assigned {"assignee_user_id":null} {"assignee_user_id":"ID"}`}},
		{"nobody any more", "AssignInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.AssignInterview(t.Context(), w.c, w.interview, nil)
			return err
		}, []string{`interview.assigned {"assignee_user_id":"ID"} {"assignee_user_id":null}`}},
		{"nobody again", "AssignInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.AssignInterview(t.Context(), w.c, w.interview, nil)
			return err
		}, nil},
		{"a decision", "DecideInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.DecideInterview(t.Context(), w.c, w.interview, store.DecisionRejected, ptr(walkNote))
			return err
		}, []string{`interview.decision_recorded {"decision":null} {"decision":"rejected","reason":"***"}`}},
		{"that the trader was told", "MarkCommunicated", func(t *testing.T, w *auditWalk) error {
			_, err := w.MarkCommunicated(t.Context(), w.c, w.interview, true)
			return err
		}, []string{`interview.communicated {"done":false} {"done":true}`}},
		{"that the trader was told, again", "MarkCommunicated", func(t *testing.T, w *auditWalk) error {
			_, err := w.MarkCommunicated(t.Context(), w.c, w.interview, true)
			return err
		}, nil},
		{"a share link", "ShareInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.ShareInterview(t.Context(), w.c, w.interview, 24, true)
			return err
		}, []string{`interview.share_created null {"expires_at":"TIME","include_decision":true,"share_id":"ID"}`}},
		{"a share link's end", "RevokeShare", func(t *testing.T, w *auditWalk) error {
			return w.RevokeShare(t.Context(), w.c, w.interview)
		}, []string{`interview.share_revoked {"share_id":"ID"} null`}},
		{"captions", "RequestSubtitles", func(t *testing.T, w *auditWalk) error {
			_, err := w.RequestSubtitles(t.Context(), w.c, w.interview)
			return err
		}, []string{`interview.subtitles_requested null {"job_id":"ID"}`}},
		{"a report", "RegenerateReport", func(t *testing.T, w *auditWalk) error {
			_, err := w.RegenerateReport(t.Context(), w.c, w.interview)
			return err
		}, []string{`interview.report_requested null {"job_id":"ID"}`}},
		{"an interview's activity file", "KeepInterviewFile", func(t *testing.T, w *auditWalk) error {
			_, err := w.KeepInterviewFile(t.Context(), w.c, w.interview, activityFile(uuid.Nil, "Ada Lovelace.csv", "2,EURUSD"))
			return err
		}, []string{
			`activity_file.kept null {"bytes":8,"name":"***","sha256":"` + sumOf("2,EURUSD") + `","trader_id":"ID","trades":1}`,
			`interview.activity_file_added null {"bytes":8,"rows":1,"sha256":"` + sumOf("2,EURUSD") + `"}`,
		}},
		{"a claim", "ConfirmClaim", func(t *testing.T, w *auditWalk) error {
			w.exec(t, `INSERT INTO interview_reports (interview_id, version, report) VALUES ($1, 1, '{"claim_checks":[{"id":"c1"}]}')`, w.interview)
			w.exec(t, `UPDATE interviews SET report_version = 1`)
			_, err := w.ConfirmClaim(t.Context(), w.c, w.interview, "c1")
			return err
		}, []string{`interview.claim_confirmed null {"claim_id":"c1","job_id":"ID"}`}},
		{"a claim again", "ConfirmClaim", func(t *testing.T, w *auditWalk) error {
			_, err := w.ConfirmClaim(t.Context(), w.c, w.interview, "c1")
			return err
		}, nil},
		{"a playback", "NotePlayback", func(t *testing.T, w *auditWalk) error {
			w.exec(t, `INSERT INTO interview_media (interview_id, version, kind, duration_ms, bytes, playlist) VALUES ($1, 1, 'video', 1, 1, 'index.m3u8')`, w.interview)
			_, err := w.NotePlayback(t.Context(), w.c, w.interview, "198.51.100.0/24")
			return err
		}, []string{`interview.played null null`}},
		{"an export", "ExportInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.ExportInterview(t.Context(), w.c, w.interview)
			return err
		}, []string{`interview.exported null null`}},
		{"a trader's export", "ExportTrader", func(t *testing.T, w *auditWalk) error {
			_, err := w.ExportTrader(t.Context(), w.c, w.synced)
			return err
		}, []string{`trader.exported null null`}},
		{"a hold", "HoldInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.HoldInterview(t.Context(), w.c, w.interview, ptr(walkNote))
			return err
		}, []string{`interview.held {"held":false} {"held":true,"reason":"***"}`}},
		{"a hold's end", "ReleaseInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReleaseInterview(t.Context(), w.c, w.interview)
			return err
		}, []string{`interview.released {"held":true} {"held":false}`}},
		{"a hold's end again", "ReleaseInterview", func(t *testing.T, w *auditWalk) error {
			_, err := w.ReleaseInterview(t.Context(), w.c, w.interview)
			return err
		}, nil},
		{"a retake", "RetakeInterview", func(t *testing.T, w *auditWalk) error {
			w.exec(t, `UPDATE interviews SET status = 'expired'`)
			_, err := w.RetakeInterview(t.Context(), w.c, w.interview, store.Retake{})
			return err
		}, []string{`interview.created null {"assignee_user_id":null,"reason":"other","retake_of_id":"ID","retention_days":180,"trader_id":"ID","window_hours":24}`}},
		{"an interview's end", "DeleteInterview", func(t *testing.T, w *auditWalk) error {
			return w.DeleteInterview(t.Context(), w.c, w.interview)
		}, []string{`interview.deleted {"status":"expired"} null`}},
		{"a trader's erasure", "EraseTrader", func(t *testing.T, w *auditWalk) error {
			return w.EraseTrader(t.Context(), w.c, w.synced)
		}, []string{`trader.erased null null`}},
		{"an integration's end", "DeleteIntegration", func(t *testing.T, w *auditWalk) error {
			return w.DeleteIntegration(t.Context(), w.c, w.integration.ID, nil)
		}, []string{`integration.deleted {` + fmt.Sprintf(settings, "pending", "Desk 2") + `} null`}},
		{"a person", "CreatePerson", func(t *testing.T, w *auditWalk) error {
			p, err := w.CreatePerson(t.Context(), w.c, store.NewPerson{Email: walkEmail, Name: "Viewer 1", Role: store.RoleViewer, PasswordHash: walkPassword})
			w.person = p.ID
			return err
		}, []string{`user.created null {"email":"***","role":"viewer"}`}},
		{"a person's members", "UpdatePerson", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdatePerson(t.Context(), w.c, w.person, store.PersonPatch{Name: ptr("Reviewer 1"), Role: ptr(store.RoleReviewer)})
			return err
		}, []string{`user.updated {"name":"***","role":"viewer"} {"name":"***","role":"reviewer"}`}},
		{"a person's members as they are", "UpdatePerson", func(t *testing.T, w *auditWalk) error {
			_, err := w.UpdatePerson(t.Context(), w.c, w.person, store.PersonPatch{Role: ptr(store.RoleReviewer)})
			return err
		}, nil},
		{"a person's password", "SetPassword", func(t *testing.T, w *auditWalk) error {
			_, err := w.SetPassword(t.Context(), w.c, w.person, walkPassword)
			return err
		}, []string{`user.password_reset null null`}},
		{"failed sign-ins", "NoteFailedSignIns", func(t *testing.T, w *auditWalk) error {
			return w.NoteFailedSignIns(t.Context(), w.c, w.person, 3)
		}, []string{`user.sign_in_failed null {"attempts":3}`}},
		{"a sign-in", "BeginSession", func(t *testing.T, w *auditWalk) error {
			w.byKey = w.c
			w.c.KeyID, w.c.PersonID = uuid.Nil, w.person
			s, err := w.BeginSession(t.Context(), w.c, walkPassword, store.NewSession{TokenHash: newToken(), Method: store.ByPassword})
			w.c.SessionID = s.ID
			return err
		}, []string{`user.signed_in null {"method":"password"}`}},
		{"an own password", "ChangePassword", func(t *testing.T, w *auditWalk) error {
			s, err := w.ChangePassword(t.Context(), w.c, walkPassword, walkPassword+"2", store.NewSession{TokenHash: newToken(), Method: store.ByPassword})
			w.c.SessionID = s.ID
			return err
		}, []string{`user.password_changed null null`}},
		{"a sign-out everywhere", "EndSessions", func(t *testing.T, w *auditWalk) error {
			hash := walkPassword + "2"
			if _, err := w.BeginSession(t.Context(), store.Change{OrganizationID: w.c.OrganizationID, PersonID: w.person, By: w.c.By, RequestID: w.c.RequestID, Client: w.c.Client}, hash, store.NewSession{TokenHash: newToken(), Method: store.ByPassword}); err != nil {
				return err
			}
			err := w.EndSessions(t.Context(), w.c)
			s, again := w.BeginSession(t.Context(), store.Change{OrganizationID: w.c.OrganizationID, PersonID: w.person, By: w.c.By, RequestID: w.c.RequestID, Client: w.c.Client}, hash, store.NewSession{TokenHash: newToken(), Method: store.ByPassword})
			w.c.SessionID = s.ID
			return errors.Join(err, again)
		}, []string{`user.signed_in null {"method":"password"}`, `user.sessions_ended null {"sessions":1}`, `user.signed_out null null`, `user.signed_in null {"method":"password"}`}},
		{"a sign-out", "EndSession", func(t *testing.T, w *auditWalk) error {
			return w.EndSession(t.Context(), w.c)
		}, []string{`user.signed_out null null`}},
		{"a sign-in elsewhere", "BeginExternalSession", func(t *testing.T, w *auditWalk) error {
			c := store.Change{RequestID: w.c.RequestID, Client: w.c.Client}
			account := store.ExternalAccount{Issuer: "https://login.example", Subject: "1", Email: walkEmail}
			found, err := w.Memberships(t.Context(), account, "")
			if err != nil {
				return err
			}
			s, err := w.BeginExternalSession(t.Context(), c, account, found[0], store.NewSession{TokenHash: newToken(), Method: store.ByOIDC})
			w.c.SessionID, w.c.By = s.ID, "Reviewer 1"
			return err
		}, []string{`user.updated {"oidc_linked":false} {"oidc_linked":true}`, `user.signed_in null {"method":"oidc"}`}},
		{"a person's end", "RemovePerson", func(t *testing.T, w *auditWalk) error {
			w.c = w.byKey
			return w.RemovePerson(t.Context(), w.c, w.person, nil)
		}, []string{`user.removed {"email":"***","role":"reviewer"} null`}},
		{"a person's end again", "RemovePerson", func(t *testing.T, w *auditWalk) error {
			return w.RemovePerson(t.Context(), w.c, w.person, nil)
		}, nil},
		{"an organization", "Bootstrap", func(t *testing.T, w *auditWalk) error {
			o, _, _, err := w.Bootstrap(t.Context(), store.Bootstrap{
				OrganizationName: "Walk", Email: walkEmail, PasswordHash: walkPassword,
				Key: store.NewAPIKey{Name: "First key", Prefix: "svc_live_ghijkl", SecretHash: sha256.Sum256([]byte("svc_live_first")), Scopes: []string{"traders:read"}},
			})
			w.org = o.ID
			return err
		}, []string{
			`organization.created null {"name":"Walk"}`,
			`user.created null {"email":"***","role":"owner"}`,
			`api_key.created null {"expires_at":null,"name":"First key","prefix":"svc_live_ghijkl","scopes":["traders:read"]}`,
		}},
	}
}

// TestEveryChangeIsAudited makes every change, as a key, and looks at the rows.
func TestEveryChangeIsAudited(t *testing.T) {
	t.Parallel()
	w := &auditWalk{bundle: setup(t)}
	w.c = store.Change{
		OrganizationID: w.org, KeyID: one[uuid.UUID](t, w.bundle, `SELECT id FROM api_keys`), By: "the desk's key",
		RequestID: "request-17", Client: netip.MustParseAddr("2001:db8::7"),
	}
	seen := make(map[string]bool)
	for _, step := range auditSteps() {
		org, before := w.org, len(w.auditLog(t))
		if err := step.do(t, w); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		rows := w.auditLog(t)
		if w.org == org {
			rows = rows[before:]
		}
		got := []string(nil)
		for _, r := range rows {
			got = append(got, auditLine(r))
			kind, actor := store.ActorAPIKey, w.c.KeyID
			if w.c.PersonID != uuid.Nil {
				kind, actor = store.ActorPerson, w.c.PersonID
			}
			if w.org == org && (r.ActorKind != kind || *r.ActorID != actor || r.ActorName != w.c.By || *r.RequestID != w.c.RequestID || *r.ClientAddress != "2001:db8::7") {
				t.Errorf("%s: in the name of %s %v %q, request %v from %v", step.name, r.ActorKind, r.ActorID, r.ActorName, r.RequestID, r.ClientAddress)
			}
			if age := time.Since(r.At); age.Abs() > time.Minute {
				t.Errorf("%s: %s ago", step.name, age)
			}
			seen[string(r.Action)] = true
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		w.intact(t, int64(len(w.auditLog(t))))
	}
	elsewhere := []store.AuditAction{store.AuditOrganizationRekeyed, store.AuditInterviewPurged} // TestRekey, TestPurges
	for _, action := range store.AuditActions() {
		if !seen[string(action)] && !slices.Contains(elsewhere, action) {
			t.Errorf("nothing has left a row of %s", action)
		}
	}
	w.holdsNoSecrets(t)
}

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`"20\d\d-[^"]+Z"`)
)

// auditLine shows a row without what differs from run to run.
func auditLine(r store.AuditRecord) string {
	shown := func(text []byte) string {
		if text == nil {
			return "null"
		}
		s := uuidPattern.ReplaceAllString(string(text), "ID")
		return timePattern.ReplaceAllString(s, `"TIME"`)
	}
	return fmt.Sprintf("%s %s %s", r.Action, shown(r.Before), shown(r.After))
}

// holdsNoSecrets looks for everything in the log that must not be there.
func (w *auditWalk) holdsNoSecrets(t *testing.T) {
	t.Helper()
	log := strings.ToLower(one[string](t, w.bundle, `SELECT string_agg(a::text, E'\n') FROM audit_log AS a`))
	hash := sha256.Sum256([]byte("svc_live_secret"))
	secrets := []string{
		walkPlatformKey, walkNewKey, "****", walkPassword, fmt.Sprintf("%x", hash), "svc_live_secret", "svc_live_first",
		walkEmail, walkName, "Lovelace", walkPhone, walkExternalID, walkTag, walkNote, "bob@example.com",
	}
	for _, sealed := range []string{`SELECT encode(secret_hash, 'hex') FROM api_keys LIMIT 1`, `SELECT split_part(email, '@', 1) FROM people WHERE email = '` + walkEmail + `'`} {
		secrets = append(secrets, one[string](t, w.bundle, sealed))
	}
	for _, secret := range secrets {
		if strings.Contains(log, strings.ToLower(secret)) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestEveryMethodThatChangesIsWalked: a method that takes a Change has a step.
func TestEveryMethodThatChangesIsWalked(t *testing.T) {
	t.Parallel()
	walked := make(map[string]bool)
	for _, step := range auditSteps() {
		walked[step.method] = true
	}
	db := reflect.TypeFor[*store.DB]()
	for m := range db.Methods() {
		for i := range m.Type.NumIn() {
			if m.Type.In(i) == reflect.TypeFor[store.Change]() && !walked[m.Name] {
				t.Errorf("%s changes something, and no step of auditSteps says what it leaves in the audit log", m.Name)
			}
		}
	}
}

// TestRefusedChangesLeaveNoRow, and no gap in the numbers.
func TestRefusedChangesLeaveNoRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.create(t, store.NewTrader{FullName: "A", ExternalID: ptr("x")})
	b.create(t, store.NewTrader{FullName: "B", ExternalID: ptr("y")})
	const rows = bootstrapped + 2
	refused := errors.New("refused")
	b.exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''made by the test''; END'`)
	b.exec(t, `CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON integrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	unclaimed := b.claimAttempt(t, b.attemptKey())
	if err := b.Abandon(t.Context(), unclaimed); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"a conflict": func() error {
			_, err := b.UpdateTrader(t.Context(), b.by("desk"), trader.ID, store.TraderPatch{ExternalID: ptr(ptr("y"))})
			return err
		},
		"a condition": func() error {
			_, err := b.UpdateTrader(t.Context(), b.by("desk"), trader.ID, store.TraderPatch{Status: ptr("archived"), If: func(store.TraderDetail) error { return refused }})
			return err
		},
		"nothing there": func() error { return b.DeleteNote(t.Context(), b.by("desk"), trader.ID, uuid.New()) },
		"a failure of the commit": func() error {
			_, err := b.CreateIntegration(t.Context(), b.by("desk"), store.NewIntegration{Kind: record.CustomAPI, BaseURL: "https://a.example", SyncIntervalSeconds: 300})
			return err
		},
		"an attempt that was taken over": func() error {
			unclaimed.Render = func(any) (store.Answer, error) { return store.Answer{Status: 201}, nil }
			_, err := b.CreateTrader(t.Context(), store.Change{OrganizationID: b.org, Attempt: unclaimed}, store.NewTrader{FullName: "C"})
			return err
		},
		"an organization that has the name of another": func() error {
			name := one[string](t, b, `SELECT name FROM organizations`)
			_, _, _, err := b.Bootstrap(t.Context(), store.Bootstrap{OrganizationName: name, Email: "a@b.example"})
			return err
		},
	} {
		if err := change(); err == nil {
			t.Errorf("%s: not refused", name)
		}
		b.intact(t, rows)
	}
	b.create(t, store.NewTrader{FullName: "D"})
	b.intact(t, rows+1)
	if n := one[int](t, b, `SELECT count(*) FROM audit_log`); n != rows+1 {
		t.Errorf("%d rows in the table, want %d", n, rows+1)
	}
}

// TestAuditAfterAKill: a process that dies in the middle of a change, in its
// commit even, leaves nothing, and the next row takes the number.
func TestAuditAfterAKill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`)
	b.exec(t, `CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`)
	b.exec(t, `SELECT pg_advisory_lock(42)`)
	made := make(chan error, 1)
	go func() {
		_, err := b.CreateTrader(context.WithoutCancel(t.Context()), b.by("desk"), store.NewTrader{FullName: "A"})
		made <- err
	}()
	waitForBlocked(t, b.url, true)
	b.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	if err := <-made; err == nil {
		t.Error("the change committed")
	}
	b.exec(t, `SELECT pg_advisory_unlock(42)`)
	b.intact(t, bootstrapped)
	b.create(t, store.NewTrader{FullName: "B"})
	b.intact(t, bootstrapped+1)
	if n := one[int](t, b, `SELECT count(*) FROM traders`); n != 1 {
		t.Errorf("%d traders, want 1", n)
	}
}

// TestConcurrentChangesMakeOneChain: changes of all kinds at a time, in two
// organizations and over two processes, end in two valid chains without a gap,
// and none of them fails.
func TestConcurrentChangesMakeOneChain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b
	other.org = storetest.Organization(t, b.DB).ID
	fleet := []*store.DB{b.DB, storetest.Open(t, b.url)}
	integrations := []store.Integration{
		storetest.Integration(t, b.DB, b.org, "https://a.example"), storetest.Integration(t, b.DB, other.org, "https://a.example"),
	}
	trader := b.create(t, store.NewTrader{FullName: "A"})
	const workers, rounds = 8, 12
	var wg sync.WaitGroup
	for n := range workers {
		wg.Go(func() {
			db, org := fleet[n%2], n/2%2
			c := store.Change{OrganizationID: []uuid.UUID{b.org, other.org}[org], By: "desk"}
			for round := range rounds {
				_, err := db.CreateTrader(t.Context(), c, store.NewTrader{FullName: "X", Email: ptr(fmt.Sprintf("x%d-%d@example.com", n, round))})
				if err == nil {
					_, err = db.UpdateIntegration(t.Context(), c, integrations[org].ID, store.IntegrationPatch{Name: ptr(fmt.Sprint(n, round))})
				}
				if err == nil && org == 0 {
					_, err = db.UpdateTrader(t.Context(), c, trader.ID, store.TraderPatch{Status: ptr(store.TraderStatuses()[round%4])})
				}
				if err != nil {
					t.Errorf("worker %d, round %d: %v", n, round, err)
				}
			}
		})
	}
	wg.Wait()
	b.intact(t, bootstrapped+2+workers/2*rounds*3)
	other.intact(t, bootstrapped+1+workers/2*rounds*2)
	if n := one[int](t, b, `SELECT count(*) FROM (SELECT at < lag(at) OVER (PARTITION BY organization_id ORDER BY number) AS back FROM audit_log) AS x WHERE back`); n != 0 {
		t.Errorf("%d rows are older than the one before", n)
	}
}

// TestAuditTablesOnlyGrow, for their owner and a superuser too, also where
// triggers are left out as for replication.
func TestAuditTablesOnlyGrow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	role := "audit_owner_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	b.exec(t, `CREATE ROLE `+role)
	t.Cleanup(func() {
		if _, err := b.conn.Exec(context.Background(), `RESET ROLE; REASSIGN OWNED BY `+role+` TO CURRENT_USER; DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	b.exec(t, `GRANT ALL ON SCHEMA public TO `+role)
	b.exec(t, `GRANT ALL ON ALL TABLES IN SCHEMA public TO `+role)
	b.exec(t, `ALTER TABLE audit_log OWNER TO `+role)
	b.exec(t, `ALTER TABLE audit_chains OWNER TO `+role)
	for _, who := range []string{`SET ROLE ` + role, `RESET ROLE`, `SET session_replication_role = replica`} {
		b.exec(t, who)
		for _, statement := range []string{
			`UPDATE audit_log SET actor_name = 'x'`, `UPDATE audit_log SET at = now() WHERE number = 1`, `DELETE FROM audit_log`,
			`DELETE FROM audit_log WHERE number = 3`, `TRUNCATE audit_log`, `TRUNCATE audit_chains, audit_log`, `TRUNCATE audit_chains CASCADE`,
			`DELETE FROM audit_chains`, `UPDATE audit_chains SET number = number - 1`, `UPDATE audit_chains SET hash = ''`,
			`INSERT INTO audit_chains AS c (organization_id) SELECT organization_id FROM audit_chains ON CONFLICT (organization_id) DO UPDATE SET number = 0`,
		} {
			if _, err := b.conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "audit") {
				t.Errorf("after %s: %s: %v", who, statement, err)
			}
		}
	}
	b.exec(t, `RESET session_replication_role`)
	b.intact(t, bootstrapped)
}

// TestAuditOutsideOfAChange: what is noted where nobody writes it is an error
// and not lost.
// TestNoAddressInTheAuditLog: what people call themselves and their keys may be
// an email address, which does not get into the log by that.
func TestNoAddressInTheAuditLog(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	o := storetest.Organization(t, db)
	tests := []struct{ name, want string }{
		{"ada@example.com", "***"},
		{"Ada's key (ada.lovelace+x@example.com), the first", "Ada's key (***), the first"},
		{"<ada@example.com>;\nbob@[192.0.2.1]", "<***>;\n***"},
		{"äda@bücher.example", "***"},
		{"tab\tada@localhost \"b@c\"", "tab\t*** \"***\""},
		{`back\slash@example.com`, `back\***`},
		{"lunch @ noon", "lunch @ noon"},
	}
	for i, tt := range tests {
		c := store.Change{OrganizationID: o.ID, PersonID: uuid.New(), By: tt.name}
		if _, err := db.CreateAPIKey(t.Context(), c, store.NewAPIKey{Name: tt.name, Prefix: "svc_live_abcdef", SecretHash: newToken(), Scopes: []string{"traders:read"}}); err != nil {
			t.Fatalf("%q: %v", tt.name, err)
		}
		rows, _, err := db.AuditLog(t.Context(), o.ID, store.AuditFilter{}, store.Page{Number: 1, Limit: 1})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		var after struct{ Name string }
		if err := json.Unmarshal(rows[0].After, &after); err != nil {
			t.Fatalf("%s: %v", rows[0].After, err)
		}
		if after.Name != tt.want || i < 5 && rows[0].ActorName != tt.want {
			t.Errorf("of %q: actor %q, name %q, want %q", tt.name, rows[0].ActorName, after.Name, tt.want)
		}
	}
	report, err := db.VerifyAudit(t.Context(), store.AuditVerification{OrganizationID: o.ID, Found: func(f store.AuditFault) { t.Error(f) }})
	if err != nil || report.Faults > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAuditOutsideOfAChange(t *testing.T) {
	t.Parallel()
	if err := store.AuditAlone(t.Context()); err == nil {
		t.Error("no error")
	}
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := one[uuid.UUID](t, b, `SELECT id FROM api_keys`)
	first := b.create(t, store.NewTrader{FullName: "A"})
	b.create(t, store.NewTrader{FullName: "B"})
	if _, err := b.CreateTrader(t.Context(), store.Change{OrganizationID: b.org, KeyID: key, By: "k"}, store.NewTrader{FullName: "C"}); err != nil {
		t.Fatal(err)
	}
	person := uuid.New()
	if _, err := b.AddNote(t.Context(), store.Change{OrganizationID: b.org, PersonID: person, By: "Eve"}, first.ID, "x"); err != nil {
		t.Fatal(err)
	}
	storetest.Organization(t, b.DB) // another organization's rows are not among them
	at := func(n int64) *time.Time {
		return ptr(one[time.Time](t, b, `SELECT at FROM audit_log WHERE organization_id = $1 AND number = $2`, b.org, n))
	}
	for _, c := range []struct {
		name   string
		filter store.AuditFilter
		want   []int64
	}{
		{"all", store.AuditFilter{}, []int64{7, 6, 5, 4, 3, 2, 1}},
		{"action", store.AuditFilter{Action: store.AuditTraderCreated}, []int64{6, 5, 4}},
		{"kind of object", store.AuditFilter{ObjectKind: "trader"}, []int64{7, 6, 5, 4}},
		{"object", store.AuditFilter{ObjectID: &first.ID}, []int64{7, 4}},
		{"person", store.AuditFilter{ActorKind: store.ActorPerson}, []int64{7}},
		{"system", store.AuditFilter{ActorKind: store.ActorSystem}, []int64{5, 4, 3, 2, 1}},
		{"actor", store.AuditFilter{ActorID: &key}, []int64{6}},
		{"from", store.AuditFilter{From: at(5)}, []int64{7, 6, 5}},
		{"to", store.AuditFilter{To: at(5)}, []int64{4, 3, 2, 1}},
		{"several", store.AuditFilter{ObjectKind: "trader", Action: store.AuditTraderCreated, From: at(5), To: at(6)}, []int64{5}},
		{"none", store.AuditFilter{ObjectID: &person}, nil},
	} {
		var all []int64
		for page := 1; ; page++ {
			rows, total, err := b.AuditLog(t.Context(), b.org, c.filter, store.Page{Number: page, Limit: 2})
			if err != nil || total != len(c.want) {
				t.Errorf("%s: total %d, %v; want %d", c.name, total, err, len(c.want))
			}
			if len(rows) == 0 {
				break
			}
			for _, r := range rows {
				all = append(all, r.Number)
			}
		}
		if diff := cmp.Diff(c.want, all); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
