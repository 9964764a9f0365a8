package directory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// DuplicateReason is why two traders may be the same person.
type DuplicateReason string

// The reasons, the strongest first. Each is found by an index.
const (
	sameEmail          DuplicateReason = "email"            // Both have the same email address, ignoring case.
	samePlatformID     DuplicateReason = "external_id"      // The one that was created manually has the other's ID on the platform.
	samePhone          DuplicateReason = "phone"            // Both phone numbers have the same digits, at least 7.
	sameNameAndCountry DuplicateReason = "name_and_country" // Both have the same full name and the same country, ignoring case.
	sameLoginIP        DuplicateReason = "login_ip"         // Both last signed in to their platform from the same IP address.
)

// DuplicateReasons lists the reasons, the strongest first.
func DuplicateReasons() []DuplicateReason {
	return []DuplicateReason{sameEmail, samePlatformID, samePhone, sameNameAndCountry, sameLoginIP}
}

// Duplicate is another trader of the organization who may be the same person.
type Duplicate struct {
	Trader
	Reasons []DuplicateReason `bun:"-"` // the strongest first
	// Mergeable reports whether the two can be merged: one of them must have been added by hand,
	// because a platform would send a trader again who was merged into another one.
	Mergeable bool `bun:"mergeable"`
	// DismissedAt is when a person said that the two are not the same person, and DismissedBy is who
	// did. They are nil if nobody has.
	DismissedAt *time.Time `bun:"dismissed_at"`
	DismissedBy *string    `bun:"dismissed_by"`
}

// Duplicates are the possible duplicates of a trader.
type Duplicates struct {
	List []Duplicate // those that were dismissed come last
	// TooCommon lists what too many traders share to tell who is the same person.
	TooCommon []DuplicateReason
}

const (
	// maxSharing is the most other traders who share something that still says who is the same
	// person. Many share the address of a VPN, for example.
	maxSharing = 20
	// maxNamesakes is the most traders of one name whose countries are compared.
	maxNamesakes = 200
	// leastPhone is the least number of digits of a phone that identifies somebody.
	leastPhone = 7
)

// phoneKey is what the index traders_phone sorts a trader t by.
const phoneKey = `left(ltrim(regexp_replace(left(coalesce(t.override_phone, t.phone), 100), '[^0-9]', '', 'g'), '0'), 20)`

// ofOther turns SQL about a trader t into SQL about a trader o.
func ofOther(sql string) string { return strings.ReplaceAll(sql, "t.", "o.") }

// ListDuplicates lists the traders who may be the same person as the trader, the strongest reasons
// first. It reads the index entries of what the trader shares with others, and at most a few hundred.
// It returns ErrNotFound if the organization has no such trader.
func ListDuplicates(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (d Duplicates, err error) {
	defer store.WrapError(&err, "list duplicates of trader %s", id)
	d = Duplicates{List: []Duplicate{}, TooCommon: []DuplicateReason{}}
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		if _, err := FindOwner(ctx, tx, orgID, id); err != nil {
			return err
		}
		reasons := make(map[uuid.UUID][]DuplicateReason)
		for _, reason := range DuplicateReasons() {
			var ids []uuid.UUID
			if err := tx.NewRaw(sharingSQL(reason), sharingArguments(orgID, id)...).Scan(ctx, &ids); err != nil {
				return err
			}
			if len(ids) > maxSharing {
				d.TooCommon = append(d.TooCommon, reason)
				continue
			}
			for _, other := range ids {
				reasons[other] = append(reasons[other], reason)
			}
		}
		d.List, err = readDuplicates(ctx, tx, orgID, id, reasons)
		return err
	})
	return d, err
}

// sharingSQL selects the ids of traders o who share something with the trader t, who has the id ?1 in
// the organization ?0: at most ?2 of them. Nothing that was entered is an argument, because the
// server may log the statement.
func sharingSQL(reason DuplicateReason) string {
	others := `SELECT o.id FROM traders AS o WHERE o.organization_id = ?0 AND o.id <> t.id AND `
	switch reason {
	case sameEmail:
		others += `lower(coalesce(o.override_email, o.email)) = lower(coalesce(t.override_email, t.email))`
	case samePlatformID:
		others += `t.integration_id IS NOT NULL AND o.integration_id IS NULL AND o.external_id = t.external_id
    UNION ALL SELECT o.id FROM integrations AS i JOIN traders AS o ON o.integration_id = i.id AND o.external_id = t.external_id
    WHERE i.organization_id = ?0 AND t.integration_id IS NULL`
	case samePhone:
		others += `coalesce(o.override_phone, o.phone) IS NOT NULL AND ` + ofOther(phoneKey) + ` = ` + phoneKey + ` AND length(` + phoneKey + `) >= ?4`
	case sameNameAndCountry:
		others = namesakesSQL
	case sameLoginIP:
		others += `o.metadata ->> 'last_login_ip' = t.metadata ->> 'last_login_ip' AND t.metadata ->> 'last_login_ip' <> ''`
	}
	return `SELECT o.id FROM traders AS t CROSS JOIN LATERAL (` + others + ` LIMIT ?2) AS o WHERE t.id = ?1 AND t.organization_id = ?0`
}

// sharingArguments returns the arguments of sharingSQL.
func sharingArguments(orgID, id uuid.UUID) []any {
	return []any{orgID, id, maxSharing + 1, maxNamesakes + 1, leastPhone}
}

// namesakesSQL selects the ids of traders of t's name and country. It compares the countries of up to
// ?3 traders of the name. If there are as many, it selects all of them, which are too many.
var namesakesSQL = `SELECT o.id FROM (
        SELECT o.id, o.country_key, count(*) OVER () AS namesakes
        FROM (` + namesakesOf(`o.status <> 'archived'`) + ` UNION ALL ` + namesakesOf(`o.status = 'archived'`) + `) AS o
    ) AS o WHERE o.id <> t.id AND (o.country_key = t.country_key OR o.namesakes >= ?3) AND t.country_key IS NOT NULL`

// namesakesOf selects traders o of t's name who meet a condition of one of the indexes of names.
func namesakesOf(condition string) string {
	const named = `coalesce(t.override_full_name, t.full_name) IS NOT NULL`
	return `(SELECT o.id, o.country_key FROM traders AS o WHERE o.organization_id = ?0 AND ` + ofOther(nameKey) + ` = ` + nameKey + `
            AND ` + named + ` AND ` + ofOther(named) + ` AND ` + condition + ofOther(inNamed) + ` LIMIT ?3)`
}

// readDuplicates reads the traders of the reasons: those with the strongest reason first, and
// dismissed ones last.
func readDuplicates(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, reasons map[uuid.UUID][]DuplicateReason) ([]Duplicate, error) {
	list := []Duplicate{}
	if len(reasons) == 0 {
		return list, nil
	}
	err := tx.NewRaw(`SELECT `+traderColumns+`, t.integration_id IS NULL OR one.integration_id IS NULL AS mergeable, d.dismissed_at, d.dismissed_by
FROM traders AS one JOIN traders AS t ON t.organization_id = one.organization_id
LEFT JOIN distinct_traders AS d ON d.trader_id = least(one.id, t.id) AND d.other_id = greatest(one.id, t.id)
WHERE one.id = ? AND one.organization_id = ? AND t.id IN (?)`, id, orgID, bun.List(slices.Collect(maps.Keys(reasons)))).Scan(ctx, &list)
	for i := range list {
		list[i].alignName()
		list[i].Reasons = reasons[list[i].ID]
	}
	slices.SortFunc(list, func(a, b Duplicate) int {
		return cmp.Or(
			compareBools(a.DismissedAt != nil, b.DismissedAt != nil),
			cmp.Compare(slices.Index(DuplicateReasons(), a.Reasons[0]), slices.Index(DuplicateReasons(), b.Reasons[0])),
			cmp.Compare(len(b.Reasons), len(a.Reasons)),
			slices.Compare(a.ID[:], b.ID[:]),
		)
	})
	return list, err
}

// compareBools sorts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
