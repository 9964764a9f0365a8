package attack_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// partBytes is how much apiserver stores before it counts.
const partBytes = 1 << 20

// attackDisk writes to one take of one interview from many connections at a time, none
// of which comes to its end, with and without a checksum, and looks at the disk.
func attackDisk(t *testing.T, s *site, size int) string {
	t.Helper()
	v := s.Invite(t)
	upload := v.BeginTake(t)
	counted := func() int64 { return int64(s.rows(t, `SELECT coalesce(sum(received), 0)::int FROM interview_takes`)) }
	before, countedBefore := s.blobBytes(t), counted() // other attacks have takes too
	if large, _ := v.Tus(t, http.MethodPatch, upload, "", "Upload-Offset: 0\r\nUpload-Length: 536870913\r\n"); large != http.StatusRequestEntityTooLarge {
		t.Errorf("a take that is too large: %d", large)
	}
	var peak atomic.Int64
	stop, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			peak.Store(max(peak.Load(), s.blobBytes(t)-before))
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	half := strings.Repeat("x", partBytes/2)
	var conns []net.Conn
	var answered atomic.Int64
	for n := range size {
		header := "Upload-Offset: 0\r\n"
		if n%2 == 0 {
			header += "Upload-Checksum: sha256 " + base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\r\n"
		}
		conn := v.Open(t, http.MethodPatch, upload, partBytes, header+"\r\n")
		go func() { _, _ = io.WriteString(conn, half) }() // ends when the server or the test closes
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				_ = res.Body.Close()
				answered.Add(1)
			}
		}()
		conns = append(conns, conn)
	}
	storetest.Eventually(t, "all but the one that writes are answered", func() bool { return answered.Load() >= int64(size-1) })
	for _, conn := range conns {
		_ = conn.Close()
	}
	noted := func() int64 { return counted() - countedBefore }
	storetest.Eventually(t, "only what was counted is on the disk", func() bool { return s.blobBytes(t)-before == noted() })
	close(stop)
	<-watched
	if most := int64(3 * partBytes); peak.Load() > most {
		t.Errorf("one take took %d MiB of the disk, at most %d MiB are allowed", peak.Load()>>20, most>>20)
	}
	return fmt.Sprintf("at most %d KiB on the disk, %d KiB of them counted", peak.Load()>>10, noted()>>10)
}

// blobBytes is how many bytes the blobs take, including those that are being written.
func (s *site) blobBytes(t *testing.T) (n int64) {
	t.Helper()
	_ = filepath.WalkDir(s.Path("blobs"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
