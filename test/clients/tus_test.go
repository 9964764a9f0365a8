package clients_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/storetest"
)

// TestTusClient uploads takes with the published client, to a server that is killed in the middle.
// What is kept is what was sent, byte by byte. It takes long because it uploads 30 MB four times.
func TestTusClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, deferred string
		kill           bool
	}{
		{"length known", "0", false},
		{"length deferred", "1", false},
		{"length known, server killed", "0", true},
		{"length deferred, server killed", "1", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := workspace(t, "tus/upload.mjs")
			a := api{synced: newPlatform(t), connected: newPlatform(t)}
			a.configure(t)
			a.key = a.bootstrap(t, "Alpha Capital")
			server := &process{url: a.url + "/v1/openapi.json", start: func() *exec.Cmd { return exec.Command(program(t, "apiserver"), "--config", a.config) }}
			server.run(t)
			t.Cleanup(func() { server.kill() })
			id, path := a.invite(t, threeQuestions())

			client := exec.CommandContext(t.Context(), "node", "upload.mjs")
			client.Dir = dir
			client.Env = append(os.Environ(), "ASSAY_LINK="+a.url+path, "ASSAY_BYTES=30000001", "ASSAY_DEFERRED="+tt.deferred)
			client.Stderr = t.Output()
			out, err := client.StdoutPipe()
			check(t, err)
			check(t, client.Start())
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "half" {
				t.Fatalf("the client says %q: %v", lines.Text(), client.Wait())
			}
			if tt.kill {
				server.kill()
				server.run(t)
			}
			lines.Scan()
			want := lines.Text()
			if err := client.Wait(); err != nil {
				t.Fatal(err)
			}
			if got := a.kept(t, uuid.MustParse(id)); got != want {
				t.Errorf("kept %s, sent %s", got, want)
			}
		})
	}
}

// kept returns the SHA-256 of the only take of an interview, as it is stored.
func (a *api) kept(t *testing.T, id uuid.UUID) string {
	t.Helper()
	db := storetest.Open(t, a.database)
	i, err := interviews.ReadHead(t.Context(), db, organization(t, a.database), id)
	check(t, err)
	if len(i.Takes) != 1 || i.Takes[0].Status != "sealed" {
		t.Fatalf("takes %+v", i.Takes)
	}
	parts, err := answering.ListParts(t.Context(), db, i.Takes[0].ID)
	check(t, err)
	blobs, err := blob.Open(t.Context(), "file://"+filepath.Join(filepath.Dir(a.config), "blobs"))
	check(t, err)
	defer func() { _ = blobs.Close() }()
	hash := sha256.New()
	var names []string
	for _, part := range parts {
		r, err := blobs.Open(t.Context(), part.Blob, 0, -1)
		check(t, err)
		_, err = io.Copy(hash, r)
		check(t, err)
		_ = r.Close()
		names = append(names, part.Blob)
	}
	t.Logf("%d parts: %s", len(parts), strings.Join(names, " "))
	return hex.EncodeToString(hash.Sum(nil))
}
