package recording_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
)

// childLease is the lease of a child. It is short, so that others notice a death
// soon, and long enough for a busy machine to prolong it.
const childLease = 10 * time.Second

// workOn works on the steps of a database until the process is killed.
func workOn(ctx context.Context, db *store.DB) (err error) {
	b := &pipeline{root: os.Getenv("ASSAY_TEST_PIPELINE_BLOBS"), workdir: os.Getenv("ASSAY_TEST_PIPELINE_WORKDIR"), ffmpeg: "ffmpeg", sphinx: "pocketsphinx_continuous"}
	b.DB = db
	if b.blobs, err = blob.Open(ctx, "file://"+b.root); err != nil {
		return err
	}
	q, err := b.pool(ctx, childLease)
	if err != nil {
		return err
	}
	return q.Run(ctx)
}

// begin starts a process that works on the steps, and returns a function that kills it.
func (b *pipeline) begin(t *testing.T) (kill func()) {
	t.Helper()
	return storetest.StartChild(t, b.URL, "ASSAY_TEST_PIPELINE_BLOBS="+b.root, "ASSAY_TEST_PIPELINE_WORKDIR="+b.workdir)
}

// If a process is killed in any step after the work is done and just before it is
// written, the next process does the step again, and the result is written once.
func TestKilledInEachStep(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process in each step")
	}
	t.Parallel()
	mediatest.Need(t, "pocketsphinx_continuous")
	b := setup(t)
	recording := spoken(t, "I hold positions for two hours.")
	for name, table := range map[steps.Name]string{
		steps.Media: "interview_media", steps.Transcript: "interview_transcripts", steps.Subtitles: "interview_subtitles",
	} {
		t.Run(string(name), func(t *testing.T) {
			id := b.submitted(t, recording)
			b.stepKilled(t, id, table)
			b.begin(t)
			i := b.step(t, id, steps.Subtitles, steps.Done)
			for _, each := range []steps.Name{steps.Media, steps.Transcript, steps.Subtitles} {
				if s := i.Step(each); s.Status != steps.Done {
					t.Errorf("step %s: %+v", each, s)
				}
			}
			b.wantOnce(t, id, i)
		})
	}
}

// stepKilled locks the table that a step writes to, so that the step can be done
// but not ended, and kills the process that works on it.
func (b *pipeline) stepKilled(t *testing.T, id uuid.UUID, table string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			b.logSteps(t, id)
		}
	}()
	conn := storetest.Conn(t, b.URL)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // releases the table
	if _, err := tx.Exec(t.Context(), `LOCK TABLE `+table+` IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	kill := b.begin(t)
	observer := storetest.Conn(t, b.URL)
	storetest.Within(t, patience, "a step waits to write to "+table, func() bool {
		var waits bool
		err := observer.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass)`, table).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits
	})
	kill()
}

// wantOnce checks that each result was written once.
func (b *pipeline) wantOnce(t *testing.T, id uuid.UUID, i interviews.Detail) {
	t.Helper()
	conn := storetest.Conn(t, b.URL)
	var transcripts int
	err := conn.QueryRow(t.Context(), `SELECT version FROM interview_transcripts WHERE interview_id = $1`, id).Scan(&transcripts)
	if err != nil {
		t.Fatal(err)
	}
	if transcripts != 1 {
		t.Errorf("the transcript was written %d times", transcripts)
	}
	versions, err := os.ReadDir(filepath.Join(b.root, interviews.Prefix(id), "media"))
	if err != nil {
		t.Fatal(err)
	}
	if len(versions) != 1 || versions[0].Name() != fmt.Sprint(i.Media.Version) {
		t.Errorf("versions of media %v, want %d alone", versions, i.Media.Version)
	}
}
