package drill_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestChaosBlobsFull fills the disk of the blobs while a trader records an answer, and makes room
// again. Everything but the upload goes on, and the upload is resumed where it was. It takes long
// because both processes run while megabytes are sent to a disk that is full now and then.
func TestChaosBlobsFull(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a disk")
	}
	chaostest.Fault{Name: "disk of the blobs full", Small: 1, Large: 20, Width: 2}.Each(t, func(t *testing.T, r *chaostest.Run) {
		disk := chaostest.MountDisk(t, "16m")
		d := deploytest.New(t, deploytest.Options{Database: storetest.URL(t), More: "workers: {media: 0, report: 0}"})
		check(t, os.Symlink(disk, d.Path("blobs")))
		d.Bootstrap(t)
		processes := map[string]*deploytest.Process{"apiserver": d.Start(t, "apiserver"), "syncd": d.Start(t, "syncd")}
		v := d.Invite(t)
		upload := v.BeginTake(t)
		recorded := make([]byte, r.Between(4<<20, 6<<20))
		for i := range recorded {
			recorded[i] = byte(r.Uint32())
		}
		part := r.Between(256<<10, 1<<20)
		send := func(offset int) (status int) {
			to := min(offset+part, len(recorded))
			header := fmt.Sprintf("Upload-Offset: %d\r\n", offset)
			if to == len(recorded) {
				header += fmt.Sprintf("Upload-Length: %d\r\n", len(recorded))
			}
			status, _ = v.Tus(t, http.MethodPatch, upload, string(recorded[offset:to]), header)
			return status
		}
		offset := func() int {
			status, header := v.Tus(t, http.MethodHead, upload, "", "")
			n, err := strconv.Atoi(header.Get("Upload-Offset"))
			if err != nil || status/100 != 2 {
				t.Fatalf("how far the upload is: %d, %v", status, err)
			}
			return n
		}
		filler, refused := filepath.Join(disk, "filler"), 0
		for at, full := 0, r.IntN(3); at < len(recorded); at = offset() {
			status := send(at)
			switch {
			case status == http.StatusServiceUnavailable && full < 0 && refused < 3:
				refused++
				if status, _ := deploytest.Get(t.Context(), d.URL+"/v1/traders", d.Key); status != http.StatusOK {
					t.Errorf("an ordinary request while the disk is full: %d", status)
				}
				if refused == 3 {
					check(t, os.Remove(filler))
				}
			case status/100 != 2:
				t.Fatalf("the part at %d: %d", at, status)
			case full == 0:
				fillDisk(t, filler, r.IntN(part/2))
			}
			full--
		}
		if refused != 3 {
			t.Errorf("%d parts were refused, want 3", refused)
		}
		stored := make(map[int][]byte) // parts by where they begin
		check(t, filepath.WalkDir(disk, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			stored[bytes.Index(recorded, text)] = text
			return err
		}))
		var whole []byte
		for _, at := range slices.Sorted(maps.Keys(stored)) {
			whole = append(whole, stored[at]...)
		}
		if !bytes.Equal(whole, recorded) {
			t.Errorf("%d bytes are stored in %d parts, and they are not the %d that were recorded", len(whole), len(stored), len(recorded))
		}
		for name, p := range processes {
			if !p.Runs() {
				t.Errorf("%s has ended", name)
			}
		}
		r.Note("%d parts refused, resumed", refused)
	})
}

// fillDisk fills the file's disk except for so much room.
func fillDisk(t *testing.T, path string, left int) {
	t.Helper()
	file, err := os.Create(path)
	check(t, err)
	defer file.Close()
	n, err := io.Copy(file, endless{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full after %d bytes: %v", n, err)
	}
	check(t, file.Truncate(max(n-int64(left), 0)))
}

// endless is a file of zeros without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
