package removal_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/removal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// start removes blobs until ctx ends, as a process does.
func start(ctx context.Context, r *removal.Remover) error {
	return work.New(work.Config{Registerer: prometheus.NewRegistry(), Log: r.Log, Kinds: []work.Kind{r.Kind()}}).Run(ctx)
}

// The blobs of a deleted interview are removed, and those of others stay. What
// can't be removed is kept in the list and removed later.
func TestRemover(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	org := storetest.Organization(t, db).ID
	root := t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+root)
	if err != nil {
		t.Fatal(err)
	}
	gone := storetest.Interview(t, db, org, storetest.NewInterview("Ada", "ada@example.com")).ID
	kept := storetest.Interview(t, db, org, storetest.NewInterview("Bob", "bob@example.com")).ID
	for _, key := range []string{
		interviews.MediaPrefix(gone, 1) + "index.m3u8", interviews.MediaPrefix(gone, 1) + "sound/000.wav", interviews.Prefix(gone) + "takes/x/0", interviews.MediaPrefix(kept, 1) + "index.m3u8",
	} {
		if _, err := blobs.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := privacy.DeleteInterview(t.Context(), db, store.SystemChange(org), gone); err != nil {
		t.Fatal(err)
	}
	s := removal.New(removal.Config{Store: db, Blobs: blobs, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Every: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error)
	go func() { done <- start(ctx, s) }()
	storetest.Eventually(t, "nothing waits to be removed", func() bool {
		n, _, err := removals.Count(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, gone.String()) {
			t.Errorf("left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := blobs.Stat(t.Context(), interviews.MediaPrefix(kept, 1)+"index.m3u8"); err != nil {
		t.Errorf("the other interview's: %v", err)
	}
}

func TestRemoverKeepsTrying(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	org := storetest.Organization(t, db).ID
	away, err := blob.Open(t.Context(), "s3://bucket?region=eu-central-1&use_path_style=true&anonymous=true&endpoint=http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	id := storetest.Interview(t, db, org, storetest.NewInterview("Ada", "ada@example.com")).ID
	if err := privacy.DeleteInterview(t.Context(), db, store.SystemChange(org), id); err != nil {
		t.Fatal(err)
	}
	s := removal.New(removal.Config{Store: db, Blobs: away, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Every: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error)
	go func() { done <- start(ctx, s) }()
	conn := storetest.Conn(t, url)
	storetest.Eventually(t, "the removal was tried and put off", func() bool {
		var noted bool
		err := conn.QueryRow(t.Context(), `SELECT last_error LIKE 'list %' AND due_at > now() FROM removals WHERE interview_id = $1 AND last_error IS NOT NULL`, id).Scan(&noted)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !strings.Contains(err.Error(), "no rows") {
			t.Fatal(err)
		}
		return noted
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestBlobsOfDeliveredEvents: while events about a deleted interview are still to be delivered, its
// removal waits to empty them, and no longer counts as one of blobs.
func TestBlobsOfDeliveredEvents(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.CreateEndpoint(t, "interview.*")
	id := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Ada", "ada@example.com")).ID
	key := interviews.MediaPrefix(id, 1) + "index.m3u8"
	put := func() {
		t.Helper()
		if _, err := blobs.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	put()
	if err := privacy.DeleteInterview(t.Context(), b.DB, store.SystemChange(b.Org), id); err != nil {
		t.Fatal(err)
	}
	s := removal.New(removal.Config{Store: b.DB, Blobs: blobs, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Every: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error)
	go func() { done <- start(ctx, s) }()
	left := func() string {
		return b.Texts(t, `SELECT coalesce(string_agg(concat_ws(' ', whole, attempts), ', ' ORDER BY whole), 'nothing') FROM removals WHERE due_at > now() AND blobs_gone`)[0]
	}
	storetest.Eventually(t, "the removal waits for the events", func() bool { return left() == "t 1" })
	if n, oldest, err := removals.Count(t.Context(), b.DB); err != nil || n != 0 || oldest != 0 {
		t.Errorf("%d removals of blobs wait, the oldest for %s, %v", n, oldest, err)
	}
	put() // nothing looks for blobs again
	b.Exec(t, `UPDATE webhook_deliveries SET status = 'succeeded'`)
	b.Exec(t, `UPDATE removals SET due_at = now()`)
	storetest.Eventually(t, "nothing waits", func() bool { return b.Texts(t, `SELECT count(*)::text FROM removals`)[0] == "0" })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := blobs.Stat(t.Context(), key); err != nil {
		t.Errorf("the blobs were listed again: %v", err)
	}
	if n := b.Texts(t, `SELECT count(*)::text FROM webhook_events WHERE data IS NOT NULL`)[0]; n != "0" {
		t.Errorf("%s events still name the interview", n)
	}
}
