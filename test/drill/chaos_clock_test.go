package drill_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestChaosClockOfAPI lets the clock of apiserver jump by an hour each second while clients make
// traders, somebody is signed in, and a trader records an answer. It takes long because it builds
// apiserver anew with another clock.
func TestChaosClockOfAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything anew")
	}
	chaostest.Fault{Name: "apiserver's clock jumps by an hour each second", Small: 1, Large: 20}.Each(t, func(t *testing.T, r *chaostest.Run) {
		d := deploytest.New(t, deploytest.Options{Database: storetest.URL(t), More: "workers: {media: 0, report: 0}"})
		underLoad(t, r, d, d.JumpingCommand(t, "apiserver"), func() {
			session := signIn(t, d)
			v := d.Invite(t)
			upload := v.BeginTake(t)
			for n := range r.Between(5, 10) {
				time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) // the moment is the run's choice; nothing depends on it
				if res := ask(t, d, http.MethodGet, "", session); res.StatusCode != http.StatusOK {
					t.Fatalf("the session, after %d checks: %d", n, res.StatusCode)
				}
				if status, _ := v.Tus(t, http.MethodPatch, upload, "part", fmt.Sprintf("Upload-Offset: %d\r\n", 4*n)); status != http.StatusNoContent {
					t.Fatalf("part %d of a recording: %d", n, status)
				}
			}
		})
		conn := storetest.Conn(t, d.Database)
		for table, column := range map[string]string{"traders": "created_at", "interviews": "created_at", "sessions": "created_at", "audit_log": "at"} {
			var wrong int
			check(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE abs(extract(epoch FROM now() - `+column+`)) > 1800`).Scan(&wrong))
			if wrong > 0 {
				t.Errorf("%d rows of %s have the time of the wrong clock", wrong, table)
			}
		}
	})
}

// signIn signs a new user in, and returns the cookies.
func signIn(t *testing.T, d *deploytest.Deployment) (cookies string) {
	t.Helper()
	made := d.Call(t, http.MethodPost, "/v1/users", `{"email": "zoe@example.com", "name": "Zoe Miller", "role": "viewer"}`, http.StatusCreated)
	res := ask(t, d, http.MethodPost, fmt.Sprintf(`{"email": "zoe@example.com", "password": %q}`, made["initial_password"]), "")
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("sign in: %d", res.StatusCode)
	}
	var list []string
	for _, c := range res.Cookies() {
		list = append(list, c.Name+"="+c.Value)
	}
	return strings.Join(list, "; ")
}

// ask sends a request about a session.
func ask(t *testing.T, d *deploytest.Deployment, method, body, cookie string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.URL+"/session", strings.NewReader(body))
	check(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	_ = res.Body.Close()
	return res
}
