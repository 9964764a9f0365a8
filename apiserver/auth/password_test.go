package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

func TestPasswordFault(t *testing.T) {
	t.Parallel()
	const email = "zoe@example.com"
	tests := []struct {
		name     string
		password string
		fault    string
	}{
		{"as short as can be", "twelve chars", ""},
		{"shorter", "eleven char", "12 to 128"},
		{"as long as can be", strings.Repeat("xylo ", 25) + "fün", ""},
		{"longer", strings.Repeat("xylo ", 26), "12 to 128"},
		{"characters, not bytes", "äöüßäéèêçñåø", ""},
		{"as it is stored", strings.Repeat("a\u0308", 11), "12 to 128"},
		{"of one kind of characters", "730915862047", ""},
		{"of symbols", "~%)<?}+*\"=&^", ""},
		{"of words", "correct horse battery", ""},
		{"of short words", "a cat on mars", ""},
		{"one character", strings.Repeat("1", 12), "easy to guess"},
		{"again and again", "xk7xk7xk7xk7xk7", "easy to guess"},
		{"the alphabet", "abcdefghijklm", "easy to guess"},
		{"counting", "123456789012345", "easy to guess"},
		{"counting down", "zyxwvu987654", "easy to guess"},
		{"a keyboard's row", "qwertyuiop[]", "easy to guess"},
		{"two of them, backwards", "lkjhgfdsapoiuy", "easy to guess"},
		{"diagonally", "1q2w3e4r5t6y", "easy to guess"},
		{"common words", "Welcome Password", "easy to guess"},
		{"in other letters", "P@$$w0rdP4ssw0rd", "easy to guess"},
		{"a word and a year", "Summer2026!!", "easy to guess"},
		{"the name", "ZoeMiller-2026", "easy to guess"},
		{"the organization", "AlphaCapital1!", "easy to guess"},
		{"the name and more", "Zoe Miller, quick brown fox", ""},
		{"blank", strings.Repeat(" ", 12), "blank"},
		{"invisible", strings.Repeat("\u200b", 12), "blank"},
		{"the address", "ZOE@example.com", "email address"},
		{"the address with spaces", " zoe@example.com ", "email address"},
		{"with the address in it", "zoe@example.com!", "easy to guess"},
		{"empty", "", "12 to 128"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := auth.PasswordFault(tt.password, email, "Zoe Miller", "Alpha Capital"); (got == "") != (tt.fault == "") || !strings.Contains(got, tt.fault) {
				t.Errorf("got %q, want %q", got, tt.fault)
			}
		})
	}
}

func newPasswords(t testing.TB) *auth.Passwords {
	t.Helper()
	p, err := auth.NewPasswords(prometheus.NewRegistry(), auth.DefaultCost)
	check(t, err)
	return p
}

func TestMatch(t *testing.T) {
	t.Parallel()
	p := newPasswords(t)
	hash, err := p.Hash(t.Context(), "somebody", seal.NewSecret("crème brûlée!"))
	check(t, err)
	for _, tt := range []struct {
		name     string
		password string
		hash     string
		want     bool
	}{
		{"right", "crème brûlée!", hash, true},
		{"right, from another keyboard", "cre\u0300me bru\u0302le\u0301e!", hash, true},
		{"wrong", "creme brulee!", hash, false},
		{"empty", "", hash, false},
		{"no hash", "crème brûlée!", "", false},
	} {
		if got, err := p.Match(t.Context(), "somebody", seal.NewSecret(tt.password), tt.hash); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
	if _, err := p.Match(t.Context(), "somebody", seal.NewSecret("x"), "of no form"); err == nil || strings.Contains(err.Error(), "of no form") {
		t.Errorf("a hash of no form: %v", err)
	}
}

// TestPasswordsWait checks that hashes wait if all places are taken, that requests are refused if
// too many wait, and that waiting uses no memory for hashes.
func TestPasswordsWait(t *testing.T) {
	t.Parallel()
	p := newPasswords(t)
	const attempts = 60
	var (
		mu            sync.Mutex
		done, refused int
		group         sync.WaitGroup
	)
	for i := range attempts {
		group.Go(func() {
			_, err := p.Hash(context.Background(), fmt.Sprint(i), seal.NewSecret("x"))
			mu.Lock()
			defer mu.Unlock()
			var busy *problem.Problem
			switch {
			case err == nil:
				done++
			case errors.As(err, &busy) && busy.Status() == http.StatusServiceUnavailable && busy.Header.Get("Retry-After") == "1":
				refused++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if done == 0 || refused == 0 || done+refused != attempts {
		t.Errorf("%d hashed, %d refused", done, refused)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	// A caller who has gone stops waiting, but may still take a free place.
	if _, err := p.Hash(ended, "somebody", seal.NewSecret("x")); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPasswordsAreShared checks that a client that uses its whole share is refused, and others
// are not.
func TestPasswordsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPasswords(t)
		work, errs := make(chan struct{}), make(chan error, 20)
		hash := func(behalf string) {
			go func() {
				errs <- p.Do(t.Context(), behalf, func() error { <-work; return nil })
			}()
			synctest.Wait()
		}
		for range 10 {
			hash("greedy")
		}
		if len(errs) != 2 { // two are running, and six wait
			t.Errorf("%d of ten are refused", len(errs))
		}
		hash("modest")
		if len(errs) != 2 {
			t.Error("somebody else is refused")
		}
		close(work)
		synctest.Wait()
		hash("greedy") // its share is free again
		refused := 0
		for range 12 {
			if err := <-errs; err != nil {
				refused++
			}
		}
		if refused != 2 {
			t.Errorf("%d were refused", refused)
		}
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	if len(auth.RoleScopes(access.RoleOwner)) != len(auth.Scopes()) || auth.RoleScopes("janitor") != nil {
		t.Error("an owner has every scope, and an unknown role none")
	}
	for _, scope := range auth.RoleScopes(access.RoleViewer) {
		if !strings.HasSuffix(string(scope), ":read") {
			t.Errorf("a viewer has %s", scope)
		}
	}
	for _, scope := range auth.RoleScopes(access.RoleReviewer) {
		if strings.HasSuffix(string(scope), ":manage") {
			t.Errorf("a reviewer has %s", scope)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(auth.NewToken().Secret().Reveal())
	f.Add("")
	f.Add(strings.Repeat("A", 43))
	f.Add(strings.Repeat("A", 42) + "B") // unused bits
	f.Add(strings.Repeat("A", 42) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := auth.ParseToken(text)
		if err != nil {
			return
		}
		if token.Secret().Reveal() != text {
			t.Errorf("%q has another spelling", text)
		}
		if token.CSRF() == text || strings.Contains(token.String(), text) {
			t.Errorf("%q is shown", text)
		}
	})
}

// BenchmarkHashPassword measures the cost of an attempt to sign in.
func BenchmarkHashPassword(b *testing.B) {
	for b.Loop() {
		_, err := auth.HashPassword(seal.NewSecret("correct horse battery"))
		check(b, err)
	}
}

// FuzzPasswordFault checks that information about a person never makes a password acceptable.
func FuzzPasswordFault(f *testing.F) {
	for _, seed := range []string{"", "twelve chars", "1q2w3e4r5t6y", "aaaaaaaaaaaa", "\u0308\u0308", "ﬁﬁﬁ"} {
		f.Add(seed, "Zoe")
	}
	f.Fuzz(func(t *testing.T, password, name string) {
		if utf8.RuneCountInString(password) > 2*auth.MaxPassword {
			return
		}
		if auth.PasswordFault(password, "zoe@example.com", name) == auth.PasswordFault(password, "zoe@example.com") {
			return
		}
		if fault := auth.PasswordFault(password, "zoe@example.com", name); fault == "" {
			t.Errorf("%q is good for %q, and not for anybody", password, name)
		}
	})
}
