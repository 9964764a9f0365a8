package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/text/unicode/norm"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/seal"
)

// Cost is the cost of a password hash. Every hash stores its own, so old hashes remain readable
// after a change.
type Cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// DefaultCost is the second recommendation of RFC 9106, section 4, with one pass less and half
// the threads: 60 to 75 ms on two idle cores.
var DefaultCost = Cost{Memory: 64 << 10, Passes: 2, Threads: 2}

// The lengths of salts and hashes in bytes.
const (
	saltLength = 16
	hashLength = 32
)

// How many hashes are computed at a time, each in the memory that it costs, how many requests may
// wait for one, and for how long.
const (
	hashesAtOnce = 2
	hashQueue    = 32
	hashShare    = 8 // places and queue positions for one client or organization
	hashWait     = 3 * time.Second
)

// Limits of a new password in characters.
const (
	MinPassword = 12
	MaxPassword = 128
)

// NewPassword returns a random password of 26 letters and digits, 130 bits.
func NewPassword() seal.Secret { return seal.NewSecret(rand.Text()) }

// PasswordFault returns what is wrong with a new password of the person with the address, for
// people, or an empty string. about is what else others know about the person. It does not
// require particular kinds of characters, but rejects passwords that everybody would try (NIST SP
// 800-63B-4, 3.1.1.2).
func PasswordFault(password, email string, about ...string) string {
	switch n := utf8.RuneCountInString(normalizePassword(password)); {
	case n < MinPassword || n > MaxPassword:
		return fmt.Sprintf("Must have %d to %d characters.", MinPassword, MaxPassword)
	case decode.Blank(password):
		return "Must not be blank."
	case strings.EqualFold(strings.TrimSpace(password), email):
		return "Must not be the email address."
	case isGuessable(password, append(about, email)):
		return "Is too easy to guess, because it consists of common words, your name, email address or organization, repetitions or sequences. Add something else."
	}
	return ""
}

// SamePassword reports whether two passwords are the same for signing in.
func SamePassword(a, b string) bool { return normalizePassword(a) == normalizePassword(b) }

// normalizePassword returns a password in its normal form, which does not depend on the keyboard.
func normalizePassword(password string) string { return norm.NFKC.String(password) }

// HashPassword returns the argon2id hash of a password in the standard text format, which
// includes salt and parameters.
func HashPassword(password seal.Secret) (string, error) { return DefaultCost.Hash(password) }

// Hash is like HashPassword with this cost.
func (c Cost) Hash(password seal.Secret) (string, error) {
	hash, err := argon2id.CreateHash(normalizePassword(password.Reveal()), &argon2id.Params{
		Memory: c.Memory, Iterations: c.Passes, Parallelism: c.Threads,
		SaltLength: saltLength, KeyLength: hashLength,
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// Passwords hashes passwords, a few at a time, because each hash deliberately takes much memory
// and processor time. Its methods take on whose behalf they hash, a client or an organization.
// None of these can use all places. Use NewPasswords.
type Passwords struct {
	cost   Cost
	places chan struct{}
	queue  *Places
	took   prometheus.Histogram
}

// NewPasswords returns a hasher whose new hashes have that cost. It registers
// assay_apiserver_password_hash_seconds.
func NewPasswords(registry prometheus.Registerer, cost Cost) (*Passwords, error) {
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "assay_apiserver_password_hash_seconds", Help: "Time to hash a password.",
		Buckets: []float64{0.02, 0.05, 0.1, 0.2, 0.5, 1, 2},
	})
	return &Passwords{
		cost: cost, places: make(chan struct{}, hashesAtOnce), queue: NewPlaces(hashesAtOnce+hashQueue, hashShare), took: took,
	}, registry.Register(took)
}

// Hash is like Cost.Hash, but waits for a place. It returns a 503 problem if there is none within
// hashWait, if too many requests wait, or if this client or organization has too many.
func (p *Passwords) Hash(ctx context.Context, behalf string, password seal.Secret) (hash string, err error) {
	err = p.runQueued(ctx, behalf, func() error {
		hash, err = p.cost.Hash(password)
		return err
	})
	return hash, err
}

// Match reports whether the hash is that of the password. Without a hash it does the same work
// and returns false. Its errors are those of Hash.
func (p *Passwords) Match(ctx context.Context, behalf string, password seal.Secret, hash string) (match bool, err error) {
	if hash == "" {
		_, err := p.Hash(ctx, behalf, password)
		return false, err
	}
	err = p.runQueued(ctx, behalf, func() error {
		match, err = argon2id.ComparePasswordAndHash(normalizePassword(password.Reveal()), hash)
		if err != nil {
			return fmt.Errorf("a stored password hash cannot be read: %w", err)
		}
		return nil
	})
	return match, err
}

// runQueued runs fn when a place is free.
func (p *Passwords) runQueued(ctx context.Context, behalf string, fn func() error) error {
	leave, ok := p.queue.TryTake(behalf)
	if !ok {
		return busyHashing()
	}
	defer leave()
	wait := time.NewTimer(hashWait)
	defer wait.Stop()
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	case <-wait.C:
		return busyHashing()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func(began time.Time) { p.took.Observe(time.Since(began).Seconds()) }(time.Now())
	return fn()
}

// Behalf identifies a client for whom passwords are hashed before anybody has signed in.
func Behalf(client netip.Addr) string { return clientOf(client).String() }

func busyHashing() error {
	return problem.Unavailable("Too many people are signing in right now. Try again.", time.Second, nil)
}
