package traders

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// Limits of a trader's members and of notes, in characters.
const (
	maxFullName   = 200
	maxExternalID = 200
	countryLength = 2
	maxPhone      = 50
	maxTags       = 50
	maxTag        = 50
	maxNoteBody   = 10_000
)

// Limits of filters, in characters. Platforms send longer tags than people may set.
const (
	maxSearch    = 200
	maxTagFilter = 256
	maxStatuses  = 100
	maxSymbol    = 100
)

// Whether the matches of a list are counted.
const (
	countExact = "exact"
	countNone  = "none"
)

// tradersQuery is the query of GET /v1/traders.
type tradersQuery struct {
	page   store.Page
	filter directory.TraderFilter
}

func readTradersQuery(q *decode.Query) tradersQuery {
	p := q.Page()
	p.Uncounted = q.Choice("count", countExact, countNone) == countNone
	q.Note("count", decode.Note{
		About:   "`none` answers sooner, because matches are not counted: `total` may then be a lower bound, which is larger than the items up to the end of the page if more follow.",
		Default: countExact,
	})
	return tradersQuery{page: p, filter: readTraderFilter(q)}
}

// readTraderFilter reads the query of GET /v1/traders without its page.
func readTraderFilter(q *decode.Query) directory.TraderFilter {
	f := directory.TraderFilter{
		Search:      readSearch(q),
		Source:      q.Choice("source", string(record.CustomAPI), string(record.PartnerPlatform), directory.SourceManual),
		Country:     q.Text("country", directory.MaxFilterText),
		KYCStatus:   q.Text("kyc_status", directory.MaxFilterText),
		Tag:         q.Text("tag", maxTagFilter),
		Statuses:    readStatuses(q),
		CreatedFrom: decode.NoteParameter(q, "created_from", "Only traders that came into the directory at or after this time.", q.Time("created_from")),
		Sort:        directory.TraderSort(q.Choice("sort", decode.TextsOf(directory.TraderSorts())...)),
	}
	q.Note("source", decode.Note{About: "Only traders from this source."})
	q.Note("country", decode.Note{About: "Only traders from this country, case-insensitive.", Example: "DE"})
	q.Note("kyc_status", decode.Note{About: "Only traders with this verification (KYC) status.", Example: "verified"})
	q.Note("tag", decode.Note{About: "Only traders with this tag.", Example: "vip"})
	q.Note("sort", decode.Note{
		About: "The sort order; `-` means descending. `name` sorts by the full name or, without one, the email or the external id, case-insensitive. " +
			"Only these orders have an index: a page in any other would sort the whole directory. To find traders by other members, use the filters and `search`.",
		Default: string(directory.NewestTraders),
	})
	return f
}

// readSearch reads the search text.
func readSearch(q *decode.Query) string {
	return decode.ReadSearch(q, maxSearch, "Part of the name, email or external id, case-insensitive. Leading and trailing spaces are ignored. The search covers the whole external id, the first 254 characters of the email and the first 200 of the name. "+
		"If these contain non-ASCII characters, it covers the first 512 characters of external id, email and name, in this order.", "smith")
}

// readStatuses reads one or more statuses separated by commas. It returns nil if the parameter is
// absent.
func readStatuses(q *decode.Query) []string {
	text := q.Text("status", maxStatuses)
	one := "(" + strings.Join(directory.TraderStatuses(), "|") + ")"
	q.Note("status", decode.Note{
		About: "Only traders with one of these statuses, comma-separated. The default is all statuses except `archived`.", Example: "active,under_review",
		Pattern: "^" + one + "(," + one + ")*$",
	})
	if text == "" {
		return nil
	}
	statuses := strings.Split(text, ",")
	for _, s := range statuses {
		if !slices.Contains(directory.TraderStatuses(), s) {
			q.Parameter("status", problem.InvalidFormat, "Must be one or more of "+strings.Join(directory.TraderStatuses(), ", ")+", comma-separated.")
			return nil
		}
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// traderMembers are the members that creating and changing a trader have in common.
type traderMembers struct {
	fullName, email, externalID, country, phone decode.Field[string]
	tags                                        decode.Field[[]string]
}

// readTraderMembers notes all faults except missing and null members.
func readTraderMembers(o *decode.Object) traderMembers {
	m := traderMembers{
		fullName: decode.ReadLabel(o, "full_name", maxFullName), email: decode.ReadEmail(o), externalID: readExternalID(o),
		country: readCountry(o), phone: readPhone(o), tags: readTags(o),
	}
	o.Note("full_name", decode.Note{About: "Full name. It must have a visible character and no control characters.", Example: "Zoe Miller"})
	return m
}

// ReadNew reads the body of POST /v1/traders. Null has the same meaning as absent.
func ReadNew(o *decode.Object) directory.NewTrader {
	m := readTraderMembers(o)
	o.Require("full_name", m.fullName.State)
	return directory.NewTrader{
		FullName: m.fullName.Value, Email: decode.GivenText(m.email), ExternalID: decode.GivenText(m.externalID),
		Country: decode.GivenText(m.country), Phone: decode.GivenText(m.phone), Tags: m.tags.Value,
	}
}

// readTraderPatch reads the body of PATCH /v1/traders/{id}: absent members stay unchanged. For a
// trader created by hand, null clears any member except the name. For a synced trader, it drops
// the value that a person has set.
func readTraderPatch(o *decode.Object, manual bool) directory.TraderPatch {
	m := readTraderMembers(o)
	status := readStatus(o)
	if manual {
		o.RefuseNull("full_name", m.fullName.State)
	}
	o.RefuseNull("status", status.State)
	return directory.TraderPatch{
		FullName: decode.ClearableText(m.fullName), Email: decode.ClearableText(m.email), ExternalID: decode.ClearableText(m.externalID),
		Country: decode.ClearableText(m.country), Phone: decode.ClearableText(m.phone), Tags: decode.PatchedValue(m.tags, nil), Status: decode.GivenText(status),
	}
}

// readStatus reads one of the statuses.
func readStatus(o *decode.Object) decode.Field[string] {
	status := o.Text("status", maxStatuses)
	o.Note("status", decode.Note{About: "Status of the trader. Any change is allowed. `archived` hides the trader from lists.", Values: directory.TraderStatuses()})
	if status.State == decode.Set && !slices.Contains(directory.TraderStatuses(), status.Value) {
		return decode.NoteFormatFault(o, "status", "Must be one of "+strings.Join(directory.TraderStatuses(), ", ")+".")
	}
	return status
}

// readExternalID reads an id without surrounding spaces, in the same way as ids of platforms.
func readExternalID(o *decode.Object) decode.Field[string] {
	id := decode.ReadLabel(o, "external_id", maxExternalID)
	o.Note("external_id", decode.Note{About: "The firm's own ID of the trader. Surrounding spaces are removed. It must be unique among manually created traders.", Example: "T-1042"})
	id.Value = strings.TrimSpace(id.Value)
	return id
}

// readCountry reads an ISO 3166-1 alpha-2 code, ignoring case, and returns it in capitals. It
// does not check whether the code is assigned, because platforms use others too, such as XK.
func readCountry(o *decode.Object) decode.Field[string] {
	country := o.Text("country", countryLength)
	o.Note("country", decode.Note{About: "Two-letter country code (ISO 3166-1), stored in capitals.", Example: "DE", Pattern: `^[A-Za-z]{2}$`})
	if country.State != decode.Set {
		return country
	}
	if len(country.Value) != countryLength || strings.ContainsFunc(country.Value, func(c rune) bool { return c|0x20 < 'a' || c|0x20 > 'z' }) {
		return decode.NoteFormatFault(o, "country", "Must be a two-letter country code (ISO 3166-1 alpha-2), such as DE.")
	}
	country.Value = strings.ToUpper(country.Value)
	return country
}

// phoneForm matches digits with the separators that people use, and an extension.
var phoneForm = regexp.MustCompile(`^\+?[0-9 ().\-/]*[0-9][0-9 ().\-/]*[0-9][0-9 ().\-/]*[0-9][0-9 ().\-/]*((ext\.?|EXT\.?|x) ?[0-9]+)?$`)

func readPhone(o *decode.Object) decode.Field[string] {
	phone := o.Text("phone", maxPhone)
	o.Note("phone", decode.Note{About: "Phone number with at least three digits and the usual separators.", Example: "+49 30 123456", Pattern: phoneForm.String()})
	if phone.State == decode.Set && !phoneForm.MatchString(phone.Value) {
		return decode.NoteFormatFault(o, "phone", "Must have at least three digits. It may start with a plus sign, contain spaces, parentheses, hyphens, dots and slashes, and end in an extension such as ext 12.")
	}
	return phone
}

// readTags reads labels without surrounding spaces. Duplicates are removed.
func readTags(o *decode.Object) decode.Field[[]string] {
	tags := o.Texts("tags", maxTags, maxTag, func(at problem.Pointer, tag string) bool {
		usable := !decode.Blank(tag) && !strings.ContainsFunc(tag, decode.Control)
		if !usable {
			o.At(at, problem.InvalidFormat, fmt.Sprintf("Must be 1 to %d characters, at least one of them visible and none a control character.", maxTag))
		}
		return usable
	})
	o.Note("tags", decode.Note{
		About: "Labels, with the same characters as a name. Surrounding spaces and duplicates are removed.", Example: []string{"vip"},
		Each: &decode.Note{Least: 1, Pattern: decode.NoControls},
	})
	kept := []string{}
	for _, tag := range tags.Value {
		if tag = strings.TrimSpace(tag); !slices.Contains(kept, tag) {
			kept = append(kept, tag)
		}
	}
	tags.Value = kept
	return tags
}

// noteParams is the body of POST /v1/traders/{id}/notes.
type noteParams struct{ Body string }

// readNote reads a note's text, which may have several lines.
func readNote(o *decode.Object) noteParams {
	return noteParams{decode.ReadText(o, "body", maxNoteBody, "Text of the note, which may have several lines.", "Asked for a second document.").Value}
}
