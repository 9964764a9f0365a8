package auth_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// gate is a handler that waits until it is released, or its request ends.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}, 100), make(chan struct{})} }

func (g *gate) handle(w http.ResponseWriter, r *http.Request) error {
	g.entered <- struct{}{}
	select {
	case <-g.open:
	case <-r.Context().Done():
		return r.Context().Err()
	}
	_, err := io.WriteString(w, "served")
	return err
}

func TestRevocationEndsRunningRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := newGate()
	b.handle = g.handle
	key, row := b.newKey(t, "traders:read")
	bystander, _ := b.newKey(t, "traders:read")
	type answer struct {
		res  *http.Response
		body string
	}
	var group sync.WaitGroup
	answers := make([]answer, 5)
	for i := range answers {
		k := key
		if i == 0 {
			k = bystander
		}
		group.Go(func() { answers[i].res, answers[i].body = b.get(t, "", bearer(k)) })
	}
	for range answers {
		<-g.entered
	}
	check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
	if n := b.held(t); n != 1 {
		t.Errorf("%d keys are held, want the other one only", n)
	}
	close(g.open)
	group.Wait()
	if got := answers[0]; got.body != "served" {
		t.Errorf("the other key's request is answered %d %s", got.res.StatusCode, got.body)
	}
	for _, got := range answers[1:] {
		if got.res.StatusCode != http.StatusUnauthorized || got.res.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("answered %d %v", got.res.StatusCode, got.res.Header)
		}
		contains(t, got.body, `"code":"api_key_revoked"`)
	}
	if res, _ := b.get(t, "", bearer(key)); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a later request is answered %d", res.StatusCode)
	}
	// Again, and with a key of another organization.
	check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
	other := storetest.Organization(t, b.db)
	if err := access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(other.ID), row.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another organization's: %v", err)
	}
}

// TestHandlersThatIgnoreTheirContext checks that the lease decides about the response, whatever
// the handler does.
func TestHandlersThatIgnoreTheirContext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	entered, open := make(chan struct{}), make(chan struct{})
	statuses := []int{http.StatusOK, http.StatusNoContent, http.StatusCreated}
	for _, status := range statuses {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			b.handle = func(w http.ResponseWriter, _ *http.Request) error {
				entered <- struct{}{}
				<-open
				w.Header().Set("Location", "https://assay.example/made")
				w.WriteHeader(status)
				if status != http.StatusNoContent {
					_, _ = io.WriteString(w, "served")
				}
				return nil
			}
			key, row := b.newKey(t, "traders:read")
			done := make(chan string)
			go func() {
				res, body := b.get(t, "", bearer(key))
				done <- fmt.Sprint(res.StatusCode, res.Header.Get("Location"), body)
			}()
			<-entered
			check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
			open <- struct{}{}
			if got := <-done; !strings.HasPrefix(got, "401") || strings.Contains(got, "served") || strings.Contains(got, "made") {
				t.Errorf("answered %s", got)
			}
		})
	}
}

// TestSlowReaderIsCut shows that a client that does not read its answer cannot
// hold up a revocation.
func TestSlowReaderIsCut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	began := make(chan struct{})
	const size = 64 << 20 // larger than the connection's buffers
	b.handle = func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		chunk := make([]byte, 1<<20)
		for i := range size / len(chunk) {
			if i == 1 {
				close(began)
			}
			if _, err := w.Write(chunk); err != nil {
				return nil //nolint:nilerr // the client has gone
			}
		}
		return nil
	}
	key, row := b.newKey(t, "traders:read")
	conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
	check(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", bearer(key))
	check(t, err)
	<-began
	check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("the answer came to its end, %d bytes", n)
	}
}

// TestRevocationBeforeTheKeyIsHeld checks that a revocation is confirmed if it was announced
// after the key was first read and before it was held.
func TestRevocationBeforeTheKeyIsHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "traders:read")
	revoked := make(chan error, 1)
	b.found = sync.OnceFunc(func() {
		go func() {
			revoked <- access.RevokeAPIKey(context.Background(), b.db, store.SystemChange(b.org.ID), row.ID)
		}()
		storetest.Eventually(t, "the key is revoked", func() bool {
			k, err := access.FindAPIKey(context.Background(), b.db, key.Hash())
			return err == nil && k.RevokedAt != nil
		})
	})
	if res, _ := b.get(t, "", bearer(key)); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("answered %d", res.StatusCode)
	}
	check(t, <-revoked)
	storetest.Eventually(t, "no key is held", func() bool { return b.held(t) == 0 })
}

// TestSlowReadersAreTheirOwnConcern checks that revoking keys whose clients do not read their
// responses does not prevent others from being served or from revoking a key.
func TestSlowReadersAreTheirOwnConcern(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const slow = 6
	stuck := make(chan struct{}, slow)
	b.handle = func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Query().Get("slow") == "" {
			_, err := io.WriteString(w, "served")
			return err
		}
		chunk := make([]byte, 1<<20)
		for i := range 64 { // larger than the connection's buffers
			if i == 1 {
				stuck <- struct{}{}
			}
			if _, err := w.Write(chunk); err != nil {
				return nil //nolint:nilerr // the client has gone
			}
		}
		return nil
	}
	rows := make([]access.APIKey, slow)
	for i := range rows {
		var key auth.Key
		key, rows[i] = b.newKey(t, "traders:read")
		conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
		check(t, err)
		defer func() { _ = conn.Close() }()
		_, err = fmt.Fprintf(conn, "GET /?slow=1 HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", bearer(key))
		check(t, err)
		<-stuck
	}
	var group sync.WaitGroup
	for _, row := range rows {
		group.Go(func() {
			if err := access.RevokeAPIKey(context.Background(), b.db, store.SystemChange(b.org.ID), row.ID); err != nil {
				t.Error(err)
			}
		})
	}
	for range slow {
		key, _ := b.newKey(t, "traders:read")
		group.Go(func() {
			if res, body := b.get(t, "", bearer(key)); res.StatusCode != http.StatusOK {
				t.Errorf("a new key's request is answered %d %s", res.StatusCode, body)
			}
		})
	}
	group.Wait()
}

func TestRequestThatRevokesItsOwnKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "api_keys:manage")
	b.handle = func(w http.ResponseWriter, r *http.Request) error {
		auth.Exempt(r.Context())
		id := auth.FromContext(r.Context())
		if err := access.RevokeAPIKey(r.Context(), b.db, store.Change{OrganizationID: id.OrganizationID, KeyID: id.KeyID}, row.ID); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if res, body := b.get(t, "", bearer(key)); res.StatusCode != http.StatusNoContent {
		t.Errorf("answered %d %s", res.StatusCode, body)
	}
	if res, _ := b.get(t, "", bearer(key)); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("then answered %d", res.StatusCode)
	}
}

// TestChangesOfARevokedKey checks that a transaction in the key's name either ends before the
// revocation is confirmed, or fails.
func TestChangesOfARevokedKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, row := b.newKey(t, "api_keys:manage")
	change := store.Change{OrganizationID: b.org.ID, KeyID: row.ID, By: "x"}
	create := func() error {
		key := auth.NewKey()
		_, err := access.CreateAPIKey(context.Background(), b.db, change, access.NewAPIKey{Name: "made", Prefix: key.Prefix(), SecretHash: key.Hash(), Scopes: []string{"traders:read"}})
		return err
	}
	check(t, create())
	made := func() (n int) {
		check(t, b.conn.QueryRow(t.Context(), `SELECT count(*) FROM api_keys WHERE name = 'made'`).Scan(&n))
		return n
	}
	// A transaction in the key's name waits for its organization's row, which the inserted key
	// references, and the revocation waits for the transaction.
	tx, err := b.conn.Begin(t.Context())
	check(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM organizations WHERE id = $1 FOR UPDATE`, b.org.ID)
	check(t, err)
	slow, revoked := make(chan error, 1), make(chan error, 1)
	go func() { slow <- create() }()
	storetest.Eventually(t, "the change holds the key", func() bool { return b.held(t) == 1 })
	go func() {
		revoked <- access.RevokeAPIKey(context.Background(), b.db, store.SystemChange(b.org.ID), row.ID)
	}()
	storetest.Eventually(t, "the key is revoked", func() bool {
		keys, err := access.ListAPIKeys(t.Context(), b.db, b.org.ID)
		check(t, err)
		return slices.ContainsFunc(keys, func(k access.ListedAPIKey) bool { return k.RevokedAt != nil })
	})
	if len(revoked) != 0 {
		t.Error("the revocation did not wait")
	}
	check(t, tx.Rollback(t.Context()))
	check(t, <-revoked)
	if got := made(); got != 2 {
		t.Errorf("%d changes are committed when the revocation is confirmed, want 2", got)
	}
	check(t, <-slow)
	if err := create(); !errors.Is(err, store.ErrKeyRevoked) || made() != 2 {
		t.Errorf("a change after the revocation: %v", err)
	}
}

func TestLostSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := newGate()
	b.handle = g.handle
	key, row := b.newKey(t, "traders:read")
	done := make(chan string)
	get := func() {
		res, body := b.get(t, "", bearer(key))
		done <- fmt.Sprint(res.StatusCode, " ", res.Header.Get("Retry-After"), " ", body)
	}
	go get()
	<-g.entered
	b.exec(t, `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND d.datname = current_database()`)
	if got := <-done; !strings.HasPrefix(got, "503 1 ") {
		t.Errorf("the running request is answered %s", got)
	}
	// The next session serves the key again and receives its revocation.
	go get()
	<-g.entered
	check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
	if got := <-done; !strings.HasPrefix(got, "401") {
		t.Errorf("the request in the next session is answered %s", got)
	}
}

// TestOutageIsLoggedOnce checks that the log says once that the database is away, and once that it
// is back, however often the session is tried in between.
func TestOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	var refused atomic.Int32
	url := storetest.URL(t)
	b := setupThrough(t, url, storetest.Forward(t, url, func() storetest.Filter {
		mayPass := func([]byte) bool {
			if away.Load() {
				refused.Add(1)
			}
			return !away.Load()
		}
		return storetest.Filter{FromClient: mayPass, FromServer: mayPass}
	}))
	key, _ := b.newKey(t, "traders:read")
	if _, body := b.get(t, "", bearer(key)); body != "served" {
		t.Fatal(body)
	}
	away.Store(true)
	b.exec(t, `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND d.datname = current_database()`)
	storetest.Eventually(t, "a few sessions are refused", func() bool { return refused.Load() > 4 })
	away.Store(false)
	const lost, back = "there is no database connection", "there is a database connection again"
	storetest.Eventually(t, "the log says that the database is back", func() bool { return strings.Contains(b.log.String(), back) })
	if log := b.log.String(); strings.Count(log, lost) != 1 || strings.Count(log, back) != 1 {
		t.Errorf("log:\n%s", log)
	}
}

func TestKeysAreHeldForAWhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, _ := b.newKey(t, "traders:read")
	for range 3 {
		b.get(t, "", bearer(key))
	}
	if n := b.held(t); n != 1 {
		t.Errorf("%d locks after three requests", n)
	}
	b.clock.advance(time.Minute)
	storetest.Eventually(t, "the idle key is given back", func() bool { return b.held(t) == 0 })
	if res, _ := b.get(t, "", bearer(key)); res.StatusCode != http.StatusOK || b.held(t) != 1 {
		t.Errorf("then answered %d", res.StatusCode)
	}
}

func TestLastUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "traders:read")
	lastUse := func() *time.Time {
		keys, err := access.ListAPIKeys(t.Context(), b.db, b.org.ID)
		check(t, err)
		for _, k := range keys {
			if k.ID == row.ID {
				return k.LastUsedAt
			}
		}
		t.Fatal("the key is not listed")
		return nil
	}
	if at := lastUse(); at != nil {
		t.Errorf("used at %s before its first use", at)
	}
	b.get(t, "", bearer(key))
	storetest.Eventually(t, "the use is noted", func() bool { return lastUse() != nil })
	if at := lastUse(); time.Since(*at).Abs() > time.Minute {
		t.Errorf("used at %s", at)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "traders:read")
	var res *http.Response
	for i := range access.RateLimit {
		res, _ = b.get(t, "", bearer(key))
		if res.StatusCode != http.StatusOK {
			t.Fatalf("request %d is answered %d", i+1, res.StatusCode)
		}
	}
	if got := res.Header.Get("RateLimit"); !strings.HasPrefix(got, `"default";r=0;t=`) {
		t.Errorf("after the last one RateLimit is %s", got)
	}
	refused, body := b.get(t, "", bearer(key))
	if refused.StatusCode != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" || refused.Header.Get("RateLimit-Policy") == "" {
		t.Errorf("one more is answered %d %v", refused.StatusCode, refused.Header)
	}
	contains(t, body, `"code":"rate_limited"`)
	if other, _ := b.newKey(t, "traders:read"); true {
		if res, _ := b.get(t, "", bearer(other)); res.StatusCode != http.StatusOK {
			t.Errorf("another key's request is answered %d", res.StatusCode)
		}
	}
	// The response to an expired or revoked key says so, even if the key is over its limit.
	check(t, access.RevokeAPIKey(t.Context(), b.db, store.SystemChange(b.org.ID), row.ID))
	if res, _ := b.get(t, "", bearer(key)); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the revocation answered %d", res.StatusCode)
	}
}

// TestExpiryGoesByTheDatabasesClock checks that a process with a fast clock does not refuse a key
// too early.
func TestExpiryGoesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "traders:read")
	b.exec(t, `UPDATE api_keys SET expires_at = now() + interval '1 h' WHERE id = $1`, row.ID)
	b.clock.advance(2 * time.Hour)
	if res, body := b.get(t, "", bearer(key)); res.StatusCode != http.StatusOK {
		t.Errorf("answered %d %s", res.StatusCode, body)
	}
	b.exec(t, `UPDATE api_keys SET expires_at = now() WHERE id = $1`, row.ID)
	if res, body := b.get(t, "", bearer(key)); res.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "api_key_expired") {
		t.Errorf("then answered %d %s", res.StatusCode, body)
	}
}

func TestUnknownKeysAreThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known, row := b.newKey(t, "traders:read")
	for i := range 300 {
		if res, _ := b.get(t, "", bearer(auth.NewKey())); res.StatusCode != http.StatusUnauthorized {
			t.Fatalf("attempt %d is answered %d", i+1, res.StatusCode)
		}
	}
	if res, _ := b.get(t, "", bearer(auth.NewKey())); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("one more is answered %d %v", res.StatusCode, res.Header)
	}
	for name, authorization := range map[string][]string{"no key": nil, "malformed key": {"Bearer x"}} {
		if res, _ := b.get(t, "", authorization...); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s is answered %d", name, res.StatusCode)
		}
	}
	if res, _ := b.get(t, "", bearer(known)); res.StatusCode != http.StatusOK {
		t.Errorf("a known key is answered %d", res.StatusCode)
	}
	b.exec(t, `UPDATE api_keys SET revoked_at = now() WHERE id = $1`, row.ID)
	if res, _ := b.get(t, "", bearer(known)); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked key is answered %d", res.StatusCode)
	}
}
