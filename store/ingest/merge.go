package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// errTwins means that the organization has traders added by hand, one of which may match a trader
// of the page.
var errTwins = errors.New("there are traders made by hand")

// twinGuard takes the directory's lock in the message of a first load. It fails on purpose, by the
// square root of a negative number, if the organization has a trader added by hand with an email,
// or a matched trader of another platform.
func (w *pageWriter[R]) twinGuard() string {
	if !w.t.sourced {
		return ""
	}
	return fmt.Sprintf(`SELECT pg_advisory_xact_lock_shared(%[1]d, %[2]d);
SELECT sqrt(-count(*)::float8) FROM (SELECT FROM traders WHERE organization_id = '%[3]s' AND integration_id IS NULL AND lower(email) IS NOT NULL
    UNION ALL SELECT FROM traders WHERE organization_id = '%[3]s' AND matched_at IS NOT NULL AND integration_id <> '%[4]s' LIMIT 1) AS t; `,
		directory.EmailLocks, store.OrganizationLock(w.p.Claim.OrganizationID), w.p.Claim.OrganizationID, w.p.Claim.IntegrationID)
}

// shareDirectory prevents people from changing emails of the organization's traders until the
// transaction ends.
func (w *pageWriter[R]) shareDirectory(ctx context.Context, tx pgx.Tx) error {
	if !w.t.sourced {
		return nil
	}
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1, $2)`, store.Prepared(w.db, directory.EmailLocks, store.OrganizationLock(w.p.Claim.OrganizationID))...)
	return err
}

// pairing is a trader of the page with a possible match among those added by hand.
type pairing struct {
	key    string // the platform's id
	synced uuid.UUID
	manual uuid.UUID
	shared bool // the one added by hand may match another synced trader as well
}

// findPairings finds the traders added by hand that may match the written rows. An email that a
// person has set takes precedence over the platform's.
func (w *pageWriter[R]) findPairings(ctx context.Context, tx pgx.Tx, chosen []int) ([]pairing, error) {
	keys := make([]string, len(chosen))
	for i, n := range chosen {
		keys[i] = w.t.recordKey(&w.rows[n])
	}
	rows, err := tx.Query(ctx, `SELECT s.external_id, s.id, m.id, EXISTS (
    SELECT FROM traders AS o WHERE o.organization_id = $1 AND o.integration_id IS NOT NULL AND o.id <> s.id
        AND lower(coalesce(o.override_email, o.email)) = s.email AND `+directory.MayMatch("o")+`) AS shared
FROM unnest($3::text[]) WITH ORDINALITY AS u(key, n) CROSS JOIN LATERAL (
    SELECT t.id, t.external_id, t.override_external_id, lower(coalesce(t.override_email, t.email)) AS email FROM traders AS t
    WHERE t.integration_id = $2 AND t.external_id = u.key OFFSET 0
) AS s JOIN traders AS m ON m.organization_id = $1 AND m.integration_id IS NULL AND lower(m.email) = s.email AND `+directory.MayMatch("s")+`
ORDER BY u.n, m.id`, store.Prepared(w.db, w.p.Claim.OrganizationID, w.p.Claim.IntegrationID, keys)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p pairing, err error) {
		return p, row.Scan(&p.key, &p.synced, &p.manual, &p.shared)
	})
}

// matchedElsewhere lists the written traders with the email of another platform's trader with whom
// a row added by hand or an interview was matched by email, when only that platform knew the email.
func (w *pageWriter[R]) matchedElsewhere(ctx context.Context, tx pgx.Tx, chosen []int) ([]string, error) {
	keys := make([]string, len(chosen))
	for i, n := range chosen {
		keys[i] = w.t.recordKey(&w.rows[n])
	}
	rows, err := tx.Query(ctx, `SELECT s.external_id FROM traders AS o JOIN traders AS s ON s.integration_id = $2 AND s.external_id = ANY ($3)
    AND lower(coalesce(s.override_email, s.email)) = lower(coalesce(o.override_email, o.email))
WHERE o.organization_id = $1 AND o.matched_at IS NOT NULL AND o.integration_id <> $2 ORDER BY 1`, store.Prepared(w.db, w.p.Claim.OrganizationID, w.p.Claim.IntegrationID, keys)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// mergeManual merges written traders with those added by hand that have the same email, so that the
// directory keeps one row with everything that belongs to it. It keeps the row added by hand, which
// replaces the synced one. A trader with several possible matches, on either side, is not merged.
func (w *pageWriter[R]) mergeManual(ctx context.Context, tx pgx.Tx, out *PageOutcome, chosen []int) error {
	if !w.t.sourced || len(chosen) == 0 {
		return nil
	}
	found, err := w.findPairings(ctx, tx, chosen)
	if err != nil {
		return err
	}
	shared, err := w.matchedElsewhere(ctx, tx, chosen)
	if err != nil {
		return err
	}
	out.Findings = append(out.Findings, w.newFindings(directory.RuleAmbiguousEmail, shared)...)
	if len(found) == 0 {
		return nil
	}
	pairs, ambiguous := uniquePairings(found)
	if ambiguous.Count > 0 {
		out.Findings = append(out.Findings, ambiguous)
	}
	free, err := lockManual(ctx, tx, pairs)
	if err != nil {
		return err
	}
	run := func(ctx context.Context, statement string) error {
		_, err := tx.Exec(ctx, statement)
		return err
	}
	for _, p := range pairs {
		if free[p.manual] {
			if w.merged == nil {
				w.merged = make(map[string]uuid.UUID)
			}
			w.merged[p.key] = p.synced
			if err := directory.ReplaceSynced(ctx, run, p.manual, p.synced); err != nil {
				return err
			}
		}
	}
	return nil
}

// uniquePairings keeps the pairings of traders who are in no other, and counts the traders of the
// rest.
func uniquePairings(found []pairing) (pairs []pairing, ambiguous record.Finding) {
	ambiguous = record.Finding{Rule: directory.RuleAmbiguousEmail, Resource: record.Traders}
	for from := 0; from < len(found); {
		to := from
		for to < len(found) && found[to].synced == found[from].synced {
			to++
		}
		if to-from == 1 && !found[from].shared {
			pairs = append(pairs, found[from])
		} else if ambiguous.Count++; len(ambiguous.Samples) < record.MaxSamples {
			ambiguous.Samples = append(ambiguous.Samples, found[from].key)
		}
		from = to
	}
	return pairs, ambiguous
}

// lockManual locks the traders added by hand, always in the same order, and returns those that have
// been neither merged nor erased meanwhile.
func lockManual(ctx context.Context, tx pgx.Tx, pairs []pairing) (map[uuid.UUID]bool, error) {
	ids := make([]uuid.UUID, len(pairs))
	for i, p := range pairs {
		ids[i] = p.manual
	}
	rows, err := tx.Query(ctx, `SELECT id FROM traders WHERE id = ANY($1::uuid[]) AND integration_id IS NULL AND erased_at IS NULL ORDER BY id FOR UPDATE`, ids)
	if err != nil {
		return nil, err
	}
	locked, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	free := make(map[uuid.UUID]bool, len(locked))
	for _, id := range locked {
		free[id] = true
	}
	return free, err
}
