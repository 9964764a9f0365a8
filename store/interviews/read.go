package interviews

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/steps"
)

// columns selects an Interview, except for what is read separately, from a row i of
// interviews, with its trader t and assignee p.
const columns = `i.id, i.organization_id, i.reference, i.reason, i.status, i.partial, i.language, i.answer_modes, i.auto_questions, i.allow_unanswered, i.activity, i.integrity,
    i.metadata, i.retention_days, i.retake_of_id, i.created_by, i.created_at, i.updated_at, i.window_hours, i.invite_expires_at, i.opened_at, i.reissue_count,
    i.last_reissued_at, i.accommodation_at, i.accommodation_note, i.started_at, i.complete_by, i.submitted_at, i.completed_at, i.ended_at, i.report_version,
    i.attention_level, i.review_priority, i.high_findings, i.medium_findings, i.low_findings, i.finding_kinds, i.integrity_summary, i.communicated_at, i.communicated_by, i.hold_at, i.hold_by, i.hold_reason,
    i.media_purge_at, i.record_purge_at, i.purged_at, i.trader_id, coalesce(t.override_full_name, t.full_name) AS trader_name,
    coalesce(t.override_email, t.email) AS trader_email, coalesce(t.override_external_id, t.external_id) AS trader_external_id,
    ` + TraderKey + ` AS trader_key, i.assignee_id, p.name AS assignee_name,
    ` + AssigneeKey + ` AS assignee_key, ` + CreatorKey + ` AS creator_key`

// TraderKey is what lists sort interviews by that are sorted by their trader t: the beginning of
// what they show as the name.
const TraderKey = `lower(left(coalesce(t.override_full_name, t.full_name, t.override_email, t.email, t.override_external_id COLLATE "default", t.external_id COLLATE "default"), 200))`

// What lists sort interviews by that are sorted by the name of their assignee p, or of who created them.
const (
	AssigneeKey = `lower(left(p.name, 200))`
	CreatorKey  = `lower(left(i.created_by, 200))`
)

// tables are the tables of columns.
const tables = ` FROM interviews AS i LEFT JOIN traders AS t ON t.id = i.trader_id LEFT JOIN people AS p ON p.id = i.assignee_id`

// ReadIn reads an interview. It returns sql.ErrNoRows if the organization has no such
// interview.
func ReadIn(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (i Interview, err error) {
	list, err := Select(ctx, tx, `i.id = ? AND i.organization_id = ?`, id, orgID)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return i, err
	}
	return list[0], nil
}

// Select reads the interviews i, with their traders t, that the SQL condition selects. An
// order and a limit may follow the condition.
func Select(ctx context.Context, tx bun.IDB, condition string, args ...any) ([]Interview, error) {
	list := []Interview{}
	if err := tx.NewRaw(`SELECT `+columns+tables+` WHERE `+condition, args...).Scan(ctx, &list); err != nil {
		return nil, err
	}
	return list, fillAll(ctx, tx, list)
}

// fillAll reads what belongs to the interviews.
func fillAll(ctx context.Context, tx bun.IDB, list []Interview) error {
	if len(list) == 0 {
		return nil
	}
	f := filler{tx: tx, ids: make([]uuid.UUID, len(list)), at: make(map[uuid.UUID]*Interview, len(list))}
	for n := range list {
		f.ids[n], f.at[list[n].ID] = list[n].ID, &list[n]
	}
	for _, fill := range []func(context.Context) error{f.readQuestions, f.readTakes, f.readTrader, f.readSteps, f.readMedia, f.readEvents, f.readDecisions, f.readShare, f.readOthers, f.emailMatches} {
		if err := fill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// filler reads what belongs to interviews, in one statement for each table.
type filler struct {
	tx  bun.IDB
	ids []uuid.UUID
	at  map[uuid.UUID]*Interview
}

// forEachRow runs a query with the ids for its parameter, and passes each row to
// add.
func forEachRow[T any](ctx context.Context, f *filler, query string, add func(row T)) error {
	var rows []T
	if err := f.tx.NewRaw(query, bun.List(f.ids)).Scan(ctx, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		add(row)
	}
	return nil
}

func (f *filler) readQuestions(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT id, interview_id, index, prompt, topic, think_seconds, max_seconds, max_takes, required, source, finding_kind, served_at, unanswered_at
FROM interview_questions WHERE interview_id IN (?) ORDER BY interview_id, index`, func(q Question) {
		i := f.at[q.InterviewID]
		i.Questions = append(i.Questions, q)
	})
}

func (f *filler) readTakes(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT `+TakeColumns+` FROM interview_takes AS t JOIN interview_questions AS q ON q.id = t.question_id
WHERE t.interview_id IN (?) ORDER BY q.interview_id, q.index, t.take`, func(t Take) {
		i := f.at[t.InterviewID]
		i.Takes = append(i.Takes, t)
	})
}

// readTrader reads what the trader entered before the start.
func (f *filler) readTrader(ctx context.Context) error {
	err := forEachRow(ctx, f, `SELECT interview_id, accepted, text_version, text, sha256, decided_at FROM interview_consents WHERE interview_id IN (?)`, func(c Consent) {
		f.at[c.InterviewID].Consent = &c
	})
	if err != nil {
		return err
	}
	return forEachRow(ctx, f, `SELECT interview_id, outcome, browser, os, camera, microphone, screen, result, checked_at FROM interview_devices
WHERE interview_id IN (?)`, func(d Device) { f.at[d.InterviewID].Device = &d })
}

func (f *filler) readSteps(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT `+steps.Columns+` FROM interview_steps WHERE interview_id IN (?)
ORDER BY interview_id, `+steps.OrderSQL, func(s steps.Step) {
		i := f.at[s.InterviewID]
		i.Steps = append(i.Steps, s)
	})
}

// MediaColumns selects a Media.
const MediaColumns = `interview_id, version, kind, duration_ms, width, height, bytes, playlist, poster, details, created_at`

func (f *filler) readMedia(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT `+MediaColumns+` FROM interview_media WHERE interview_id IN (?)`, func(m Media) { f.at[m.InterviewID].Media = &m })
}

func (f *filler) readEvents(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT interview_id, count(*) FILTER (WHERE severity = 'low') AS low, count(*) FILTER (WHERE severity = 'medium') AS medium,
    count(*) FILTER (WHERE severity = 'high') AS high, count(*) FILTER (WHERE kind = 'telemetry_gap') AS gaps
FROM interview_events WHERE interview_id IN (?) GROUP BY interview_id`, func(s EventSummary) { f.at[s.InterviewID].Events = s })
}

func (f *filler) readDecisions(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT interview_id, decision, reason, decided_by, decided_at FROM interview_decisions
WHERE interview_id IN (?) ORDER BY interview_id, decided_at DESC, id DESC`, func(d Verdict) {
		i := f.at[d.InterviewID]
		i.Decisions = append(i.Decisions, d)
	})
}

// ShareColumns selects a Share from a row s.
const ShareColumns = `s.id, s.interview_id, s.include_decision, s.created_at, s.expires_at, s.revoked_at, s.revoked_at IS NULL AND s.expires_at > now() AS active,
    (SELECT count(*) FROM interview_views AS v WHERE v.share_id = s.id AND v.kind = 'share') AS view_count, (SELECT max(v.at) FROM interview_views AS v WHERE v.share_id = s.id) AS last_viewed_at`

func (f *filler) readShare(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT DISTINCT ON (s.interview_id) `+ShareColumns+` FROM interview_shares AS s
WHERE s.interview_id IN (?) ORDER BY s.interview_id, s.created_at DESC, s.id DESC`, func(s Share) { f.at[s.InterviewID].Share = &s })
}

// fileQuery selects Files. A file that was deleted from the trader's is left out.
const fileQuery = `SELECT x.interview_id, f.id AS file_id, f.name, f.bytes, f.trades AS rows, x.sha256, x.uploaded_by, x.uploaded_at
FROM interview_files AS x JOIN interviews AS i ON i.id = x.interview_id JOIN activity_files AS f ON f.trader_id = i.trader_id AND f.sha256 = x.sha256`

// readOthers reads the file, the claims and the retakes.
func (f *filler) readOthers(ctx context.Context) error {
	err := forEachRow(ctx, f, fileQuery+` WHERE x.interview_id IN (?)`, func(a File) {
		f.at[a.InterviewID].ActivityFile = &a
	})
	if err != nil {
		return err
	}
	err = forEachRow(ctx, f, `SELECT interview_id, claim_id, confirmed_by, confirmed_at FROM interview_claims WHERE interview_id IN (?)
ORDER BY interview_id, confirmed_at, claim_id`, func(c ClaimConfirmation) {
		i := f.at[c.InterviewID]
		i.Claims = append(i.Claims, c)
	})
	if err != nil {
		return err
	}
	type retake struct {
		ID uuid.UUID `bun:"id"`
		Of uuid.UUID `bun:"retake_of_id"`
	}
	return forEachRow(ctx, f, `SELECT id, retake_of_id FROM interviews WHERE retake_of_id IN (?) ORDER BY created_at, id`, func(r retake) {
		i := f.at[r.Of]
		i.Retakes = append(i.Retakes, r.ID)
	})
}

// EmailMatch is a synced trader who may be the trader of an interview.
type EmailMatch struct {
	InterviewID     uuid.UUID `bun:"interview_id"`
	TraderID        uuid.UUID `bun:"trader_id"`
	IntegrationID   uuid.UUID `bun:"integration_id"`
	IntegrationName string    `bun:"integration_name"`
	ExternalID      string    `bun:"external_id"` // the platform's id
	FullName        *string   `bun:"full_name"`   // nil if unknown
}

// emailMatches reads the synced traders with the same email if several connected platforms have
// one, because only a person can decide which of them the interview means. It ignores traders whose
// integration was deleted, those of whom somebody has said that they are other people, and several
// of one platform alone.
func (f *filler) emailMatches(ctx context.Context) error {
	return forEachRow(ctx, f, `SELECT interview_id, trader_id, integration_id, integration_name, external_id, full_name FROM (
    SELECT i.id AS interview_id, s.id AS trader_id, s.integration_id, n.name AS integration_name, s.external_id, coalesce(s.override_full_name, s.full_name) AS full_name,
        count(*) OVER (PARTITION BY i.id) > count(*) OVER (PARTITION BY i.id, s.integration_id) AS several,
        row_number() OVER (PARTITION BY i.id ORDER BY s.created_at, s.id) AS place
    FROM interviews AS i JOIN traders AS t ON t.id = i.trader_id
        JOIN traders AS s ON s.organization_id = i.organization_id AND s.integration_id IS NOT NULL
            AND lower(coalesce(s.override_email, s.email)) = lower(coalesce(t.override_email, t.email))
        JOIN integrations AS n ON n.id = s.integration_id AND n.deleted_at IS NULL
    WHERE i.id IN (?) AND NOT EXISTS (SELECT FROM distinct_traders AS d WHERE d.trader_id = least(s.id, t.id) AND d.other_id = greatest(s.id, t.id))
) AS m WHERE several AND place <= 10 ORDER BY interview_id, place`, func(m EmailMatch) {
		i := f.at[m.InterviewID]
		i.EmailMatches = append(i.EmailMatches, m)
	})
}

// Detail is an interview with its results.
type Detail struct {
	Interview
	Report     json.RawMessage  // the newest version, an object; nil if there is none
	ReportedAt *time.Time       // when it was written
	Transcript json.RawMessage  // an object; nil if there is none
	Activity   json.RawMessage  // an object; nil if there is none
	AllEvents  []IntegrityEvent // in the order of arrival
	HasVTT     bool             // there are captions
}

// Read returns an interview from one snapshot. It returns ErrNotFound if the organization has no
// such interview.
func Read(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (d Detail, err error) {
	defer store.WrapError(&err, "read interview %s", id)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		d, err = ReadDetailIn(ctx, tx, orgID, id)
		return err
	})
	return d, err
}

// ReadDetailIn reads an interview with its results. It returns sql.ErrNoRows if the organization has
// no such interview.
func ReadDetailIn(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (d Detail, err error) {
	if d.Interview, err = ReadIn(ctx, tx, orgID, id); err != nil {
		return d, err
	}
	var made struct {
		Report     json.RawMessage `bun:"report"`
		ReportedAt *time.Time      `bun:"reported_at"`
		Transcript json.RawMessage `bun:"transcript"`
		Activity   json.RawMessage `bun:"activity"`
		HasVTT     bool            `bun:"has_vtt"`
	}
	err = tx.NewRaw(`SELECT r.report, r.generated_at AS reported_at, t.transcript, a.activity, v.interview_id IS NOT NULL AS has_vtt
FROM interviews AS i LEFT JOIN interview_reports AS r ON r.interview_id = i.id AND r.version = i.report_version
    LEFT JOIN interview_transcripts AS t ON t.interview_id = i.id LEFT JOIN interview_activities AS a ON a.interview_id = i.id
    LEFT JOIN interview_subtitles AS v ON v.interview_id = i.id WHERE i.id = ?`, id).Scan(ctx, &made)
	if err != nil {
		return d, err
	}
	d.Report, d.ReportedAt, d.Transcript, d.Activity, d.HasVTT = made.Report, made.ReportedAt, made.Transcript, made.Activity, made.HasVTT
	d.AllEvents, err = readEvents(ctx, tx, id)
	return d, err
}

// ReadHead returns an interview without its results. It returns ErrNotFound if there is none.
func ReadHead(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (i Interview, err error) {
	defer store.WrapError(&err, "read interview %s", id)
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		i, err = ReadIn(ctx, tx, orgID, id)
		return err
	})
	return i, err
}
