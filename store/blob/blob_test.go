package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/blob"
)

func TestMain(m *testing.M) {
	os.Setenv("AWS_ACCESS_KEY_ID", "tester")
	os.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	os.Setenv("AWS_CONFIG_FILE", os.DevNull)
	os.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	os.Exit(m.Run())
}

// stores returns the stores for which every property below must hold.
func stores() map[string]func(*testing.T) string {
	return map[string]func(*testing.T) string{
		"folder": func(t *testing.T) string { return "file://" + filepath.Join(t.TempDir(), "made", "when missing") },
		"s3": func(t *testing.T) string {
			_, url := newS3(t)
			return url
		},
	}
}

func each(t *testing.T, fn func(t *testing.T, b *blob.Bucket)) {
	t.Helper()
	t.Parallel()
	for name, url := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, open(t, url(t)))
		})
	}
}

func open(t *testing.T, url string) *blob.Bucket {
	t.Helper()
	b, err := blob.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func put(t *testing.T, b *blob.Bucket, key, content string) {
	t.Helper()
	n, err := b.Put(t.Context(), key, strings.NewReader(content))
	if err != nil || n != int64(len(content)) {
		t.Fatalf("put %s: %d bytes, %v; want %d", key, n, err, len(content))
	}
}

func get(t *testing.T, b *blob.Bucket, key string) string {
	t.Helper()
	content, err := b.ReadAll(t.Context(), key, 1<<20)
	if err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	return string(content)
}

func keys(t *testing.T, b *blob.Bucket, prefix string) []string {
	t.Helper()
	var all []string
	for o, err := range b.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %d", o.Key, o.Size))
	}
	return all
}

func TestLifeOfABlob(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		if err := b.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		put(t, b, "a/1/x", "first")
		put(t, b, "a/1/x", "second, in its place")
		put(t, b, "a/1/empty", "")
		for i := range 5 {
			put(t, b, fmt.Sprintf("a/10/%d", i), "0123456789")
		}
		if got, want := get(t, b, "a/1/x"), "second, in its place"; got != want {
			t.Errorf("read %q, want %q", got, want)
		}
		info, err := b.Stat(t.Context(), "a/1/x")
		if err != nil || info.Size != 20 || info.Key != "a/1/x" || info.ModTime.IsZero() {
			t.Errorf("stat: %+v, %v", info, err)
		}
		want := []string{"a/1/empty 0", "a/1/x 20", "a/10/0 10", "a/10/1 10", "a/10/2 10", "a/10/3 10", "a/10/4 10"}
		if diff := cmp.Diff(want, keys(t, b, "")); diff != "" {
			t.Errorf("everything (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[:2], keys(t, b, "a/1/")); diff != "" {
			t.Errorf("under a/1/ (-want +got):\n%s", diff)
		}
		put(t, b, "a/beside", "")
		for prefix, want := range map[string][]string{"a/": {"1", "10"}, "a/1/": nil, "missing/": nil} {
			if got, err := b.ListFolders(t.Context(), prefix); err != nil || !slices.Equal(got, want) {
				t.Errorf("folders under %s: %q, %v, want %q", prefix, got, err, want)
			}
		}
		if err := b.Delete(t.Context(), "a/beside"); err != nil {
			t.Error(err)
		}
		if err := b.Delete(t.Context(), "a/1/x"); err != nil {
			t.Error(err)
		}
		if err := b.Delete(t.Context(), "a/1/x"); err != nil {
			t.Errorf("second delete: %v", err)
		}
		if err := b.DeletePrefix(t.Context(), "a/10/"); err != nil {
			t.Error(err)
		}
		if err := b.DeletePrefix(t.Context(), "a/10/"); err != nil {
			t.Errorf("second delete of a prefix: %v", err)
		}
		if diff := cmp.Diff([]string{"a/1/empty 0"}, keys(t, b, "")); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

func TestRanges(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		put(t, b, "r", "0123456789")
		for _, tc := range []struct {
			name           string
			offset, length int64
			want           string
		}{
			{"whole", 0, -1, "0123456789"},
			{"start", 0, 4, "0123"},
			{"middle", 3, 4, "3456"},
			{"to the end", 7, -1, "789"},
			{"beyond the end", 8, 100, "89"},
			{"nothing", 2, 0, ""},
		} {
			r, err := b.Open(t.Context(), "r", tc.offset, tc.length)
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
				continue
			}
			got, err := io.ReadAll(r)
			r.Close()
			if err != nil || string(got) != tc.want || r.Info.Size != 10 {
				t.Errorf("%s: %q of %d bytes, %v; want %q of 10", tc.name, got, r.Info.Size, err, tc.want)
			}
		}
		if _, err := b.ReadAll(t.Context(), "r", 9); err == nil {
			t.Error("read 10 bytes where 9 are the most")
		}
	})
}

func TestMissing(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		put(t, b, "folder/file", "x")
		for _, key := range []string{"none", "folder", "folder/none", "none/none"} {
			if _, err := b.Open(t.Context(), key, 0, -1); !errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrUnavailable) {
				t.Errorf("open %s: %v, want ErrNotFound", key, err)
			}
			if _, err := b.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("stat %s: %v, want ErrNotFound", key, err)
			}
		}
		if got := keys(t, b, "none/"); got != nil {
			t.Errorf("list: %v, want nothing", got)
		}
	})
}

func TestKeysThatAreNone(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		for _, key := range []string{
			"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".hidden", "a\\b", "a b", "ä", "a\x00b", "a%2fb",
			"a.tmp", "b.attrs", "a__0x2f__b", strings.Repeat("a", 201), strings.Repeat("a/", 300) + "a",
		} {
			if _, err := b.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, blob.ErrKey) {
				t.Errorf("put %q: %v, want ErrKey", key, err)
			}
			if _, err := b.Open(t.Context(), key, 0, -1); !errors.Is(err, blob.ErrKey) {
				t.Errorf("open %q: %v, want ErrKey", key, err)
			}
			if err := b.Delete(t.Context(), key); !errors.Is(err, blob.ErrKey) {
				t.Errorf("delete %q: %v, want ErrKey", key, err)
			}
			if _, err := b.Stat(t.Context(), key); !errors.Is(err, blob.ErrKey) {
				t.Errorf("stat %q: %v, want ErrKey", key, err)
			}
		}
		for _, prefix := range []string{"", "/", "a", "../", "a/../"} {
			if err := b.DeletePrefix(t.Context(), prefix); !errors.Is(err, blob.ErrKey) {
				t.Errorf("delete prefix %q: %v, want ErrKey", prefix, err)
			}
		}
	})
}

// TestFailedPutLeavesNothing checks that a blob whose writing fails does not exist, and replaces no
// other.
func TestFailedPutLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		put(t, b, "a/kept", "as it was")
		half := func() io.Reader {
			return io.MultiReader(io.LimitReader(rand.NewChaCha8([32]byte{}), 12<<20), iotest.ErrReader(errors.New("torn")))
		}
		for _, key := range []string{"a/kept", "a/new"} {
			if _, err := b.Put(t.Context(), key, half()); err == nil || !strings.Contains(err.Error(), "torn") {
				t.Errorf("put %s: %v, want the reader's error", key, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancelling := io.MultiReader(io.LimitReader(rand.NewChaCha8([32]byte{}), 1<<20), readerFunc(func([]byte) (int, error) {
				cancel()
				return 0, io.EOF
			}))
			if _, err := b.Put(ctx, key, cancelling); !errors.Is(err, context.Canceled) {
				t.Errorf("put %s while stopping: %v, want Canceled", key, err)
			}
		}
		if got := get(t, b, "a/kept"); got != "as it was" {
			t.Errorf("kept blob holds %.40q", got)
		}
		if diff := cmp.Diff([]string{"a/kept 9"}, keys(t, b, "")); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestReadersNeverSeeAPart checks that readers see the old bytes or the new ones, and that large
// blobs arrive completely.
func TestReadersNeverSeeAPart(t *testing.T) {
	each(t, func(t *testing.T, b *blob.Bucket) {
		big := func(c string) string { return strings.Repeat(c, 9<<20) }
		put(t, b, "a", big("x"))
		var writing sync.WaitGroup
		writing.Go(func() {
			for _, c := range []string{"y", "z"} {
				if _, err := b.Put(t.Context(), "a", strings.NewReader(big(c))); err != nil {
					t.Error(err)
				}
			}
		})
		for range 20 {
			content, err := b.ReadAll(t.Context(), "a", 9<<20)
			if err != nil {
				t.Fatal(err)
			}
			if len(content) != 9<<20 || bytes.Count(content, content[:1]) != len(content) {
				t.Fatalf("read %d bytes, of more than one writing", len(content))
			}
		}
		writing.Wait()
		if got, err := b.ReadAll(t.Context(), "a", 9<<20); err != nil || string(got) != big("z") {
			t.Errorf("the last writing is not what is read (%v)", err)
		}
	})
}

func TestBrokenStoreIsAnError(t *testing.T) {
	t.Parallel()
	server, url := newS3(t)
	b := open(t, url)
	put(t, b, "a", strings.Repeat("x", 1<<20))
	server.mu.Lock()
	server.broken = true
	server.mu.Unlock()
	if got, err := b.ReadAll(t.Context(), "a", 1<<20); err == nil {
		t.Errorf("read %d bytes of a blob that broke off, without an error", len(got))
	}
}

// TestS3UploadsInParts checks that a large blob is uploaded in parts, so that memory use stays
// constant, and that an upload that failed is not left in the store.
func TestS3UploadsInParts(t *testing.T) {
	t.Parallel()
	server, url := newS3(t)
	b := open(t, url)
	put(t, b, "a", strings.Repeat("x", 20<<20))
	server.mu.Lock()
	defer server.mu.Unlock()
	if !slices.ContainsFunc(server.seen, func(s string) bool { return strings.HasPrefix(s, "POST uploads") }) {
		t.Errorf("20 MiB were sent as one: %v", server.seen)
	}
	if len(server.parts) != 0 {
		t.Errorf("%d uploads are left open", len(server.parts))
	}
}

func TestFolderLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	b := open(t, "file://"+root)
	put(t, b, "a/b/c/d", "x")
	put(t, b, "a/e", "x")
	// These are the leftovers of a killed writer.
	for _, leftover := range []string{"a/b/c/e.18c0ffee.tmp", "a/b/killed/e.18c0ffee.tmp"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(leftover)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, leftover), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.ListFolders(t.Context(), "a/b/"); err != nil || !slices.Equal(got, []string{"c", "killed"}) {
		t.Errorf("folders: %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"a/b/c/d 1", "a/e 1"}, keys(t, b, "")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if err := b.DeletePrefix(t.Context(), "a/b/"); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(t.Context(), "a/e"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// TestCheckRemovesWhatKilledChecksLeft checks that a check removes what earlier ones left in the
// folder, and nothing that another process may be checking.
func TestCheckRemovesWhatKilledChecksLeft(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	b := open(t, "file://"+root)
	put(t, b, "check/written", "assay")
	if err := os.WriteFile(filepath.Join(root, "check/writing.18c0ffee.tmp"), []byte("assay"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := func() []string {
		names, err := filepath.Glob(filepath.Join(root, "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if err := b.Check(t.Context()); err != nil || len(list()) != 2 {
		t.Errorf("after the check of another process: %v, %v", list(), err)
	}
	for _, file := range list() {
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func TestFolderIsPrivate(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "blobs")
	b := open(t, "file://"+root)
	put(t, b, "a/b", "x")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFolderIsSharedByWritersAndDeleters checks that writing works while deleting in another
// process removes the folders.
func TestFolderIsSharedByWritersAndDeleters(t *testing.T) {
	t.Parallel()
	url := "file://" + t.TempDir()
	writer, deleter := open(t, url), open(t, url)
	done := make(chan struct{})
	var deleting sync.WaitGroup
	defer deleting.Wait()
	defer close(done)
	deleting.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := deleter.Delete(t.Context(), "a/b/other"); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 200 {
		key := fmt.Sprintf("a/b/%d", i)
		put(t, writer, key, "x")
		if err := writer.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, url, want string }{
		{"two slashes", "file://var/lib/assay", "three slashes"},
		{"options of the driver", "file:///tmp/x?base_url=/x", "has only a path"},
		{"a file", "file://" + file, "not a directory"},
		{"another scheme", "gs://bucket", "want file:// for a folder or s3:// for a bucket"},
		{"an option that S3 has not", "s3://bucket?colour=red", "colour"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := blob.Open(t.Context(), tc.url)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// TestMissingBucket checks that a bucket that is missing, or misspelled, is not taken for one without
// the blob: what is read from it may not be lost.
func TestMissingBucket(t *testing.T) {
	t.Parallel()
	_, url := newS3(t)
	b := open(t, strings.Replace(url, "recordings", "elsewhere", 1))
	_, opened := b.Open(t.Context(), "a/x", 0, -1)
	for what, err := range map[string]error{"open": opened, "delete a prefix": b.DeletePrefix(t.Context(), "a/")} {
		if !errors.Is(err, blob.ErrUnavailable) || errors.Is(err, blob.ErrNotFound) || !strings.Contains(err.Error(), "NoSuchBucket") || !strings.Contains(err.Error(), "s3://elsewhere") {
			t.Errorf("%s: got %v, want the bucket's name and what is wrong with it", what, err)
		}
	}
}

func TestCheckTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, url := newS3(t)
	b := open(t, strings.Replace(url, "recordings", "elsewhere", 1))
	if err := b.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "NoSuchBucket") || !strings.Contains(err.Error(), "s3://elsewhere") {
		t.Errorf("got %v, want the bucket's name and what is wrong with it", err)
	}
}
