package record

// AccountName is how a partner's trade or payout names its account, unless that is
// simply its AccountID: the id that was sent, and whether the name under which it
// was sent means the account's PartnerID first. Empty means that the account was
// named by its number, which is AccountID.
type AccountName string

// The forms of an AccountName.
const (
	byNumber    = 'n'
	byPartnerID = 's'
)

// NamedByPartnerID is the name of an account by a value that means its PartnerID.
func NamedByPartnerID(id string) AccountName { return AccountName(byPartnerID) + AccountName(id) }

// NamedByNumber is the name of an account by a value that means its number,
// although its number is different.
func NamedByNumber(id string) AccountName { return AccountName(byNumber) + AccountName(id) }

// Split returns the id that was sent, and whether it means the PartnerID first. The
// name must not be empty.
func (n AccountName) Split() (id string, partner bool) { return string(n[1:]), n[0] == byPartnerID }
