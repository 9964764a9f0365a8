package clients_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"github.com/assayhq/assay/store/storetest"
)

// process is one of assay's programs, which is killed and started again.
type process struct {
	start func() *exec.Cmd
	url   string // that answers when it serves
	cmd   *exec.Cmd
	ended chan error
}

// run starts the program and waits until it serves.
func (p *process) run(t *testing.T) {
	t.Helper()
	p.cmd, p.ended = p.start(), make(chan error, 1)
	p.cmd.Stdout, p.cmd.Stderr = io.Discard, io.Discard
	check(t, p.cmd.Start())
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(p.cmd, p.ended)
	storetest.Eventually(t, p.cmd.Path+" serves", func() bool { return answers(t.Context(), p.url) })
}

// kill ends the program without a word.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// deliverer is a syncd with a private listener of its own.
func (a *api) deliverer(t *testing.T) *process {
	t.Helper()
	debug := storetest.Address(t)
	return &process{url: "http://" + debug + "/healthz", start: func() *exec.Cmd {
		cmd := exec.Command(program(t, "syncd"), "--config", a.syncdConfig)
		cmd.Env = append(os.Environ(), "ASSAY_WORKERS_SYNC=0", "ASSAY_DEBUG_SYNCD="+debug)
		return cmd
	}}
}

// load makes traders by the API with several keys until it is stopped. A request
// that is not answered is sent again as it was: it is done once.
func load(t *testing.T, h *happening, stop *atomic.Bool) (made *atomic.Int64, wait func()) {
	t.Helper()
	const writers = 6
	made = new(atomic.Int64)
	var group sync.WaitGroup
	for n := range writers {
		key := h.call(t, "POST", "/v1/api-keys", map[string]any{"name": fmt.Sprint("load ", n), "scopes": []string{"traders:write"}}, http.StatusCreated)["secret"].(string)
		again := rate.NewLimiter(rate.Every(250*time.Millisecond), 1) // of the 600 that a key has in a minute
		group.Go(func() {
			for !stop.Load() {
				id := uuid.NewString()
				for !makeTrader(h.url, key, id) { // the API is away, or a dead process still has the attempt
					if again.Wait(t.Context()) != nil {
						return
					}
				}
				made.Add(1)
			}
		})
	}
	return made, group.Wait
}

// makeTrader reports whether the request was answered with success.
func makeTrader(url, key, attempt string) bool {
	req, err := http.NewRequest(http.MethodPost, url+"/v1/traders", strings.NewReader(`{"full_name": "Zoe Miller"}`))
	if err != nil {
		return false
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + key, "Content-Type": "application/json", "Idempotency-Key": attempt} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusCreated
}

// TestKilledUnderLoad kills apiserver and two syncds in turns while traders are made. Every
// receiver gets every event: no number is missing, and what comes twice is the same. It takes long
// because the leases of killed processes last as long as in production.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	const receivers, kills = 4, 6
	tools(t)
	a := api{synced: newPlatform(t), connected: newPlatform(t)}
	a.configure(t)
	a.key = a.bootstrap(t, "Alpha Capital")
	server := &process{url: a.url + "/v1/openapi.json", start: func() *exec.Cmd { return exec.Command(program(t, "apiserver"), "--config", a.config) }}
	all := []*process{server, a.deliverer(t), a.deliverer(t)}
	for _, p := range all {
		p.run(t)
		t.Cleanup(func() { p.kill() })
	}
	h := &happening{api: a}
	hooks := make(map[string]*receiver)
	for range receivers {
		r := newReceiver(t)
		r.takes = 30 * time.Millisecond // so that there are attempts to be killed in
		id, _ := h.hook(t, r.server.URL, "trader.created")
		hooks[id] = r
	}
	var stop atomic.Bool
	made, wait := load(t, h, &stop)
	for n := range kills {
		before := made.Load()
		storetest.Within(t, patience, "traders are made", func() bool { return made.Load() >= before+100 })
		victim := all[n%len(all)]
		victim.kill()
		victim.run(t)
	}
	stop.Store(true)
	wait()
	total := made.Load()
	repeats := 0
	for id, r := range hooks {
		storetest.Within(t, patience, "all events have come", func() bool { return distinct(r) >= total })
		var sequence int64
		check(t, storetest.Conn(t, a.database).QueryRow(t.Context(), `SELECT sequence FROM webhook_states WHERE endpoint_id = $1`, id).Scan(&sequence))
		if sequence != total {
			t.Errorf("the endpoint has %d events, %d traders were made", sequence, total)
		}
		repeats += checkSequence(t, r, total)
	}
	t.Logf("%d traders, %d receivers, %d kills: no gap, %d repeats of %d", total, receivers, kills, repeats, total*receivers)
}

// distinct counts the events that the receiver has got.
func distinct(r *receiver) int64 {
	seen := make(map[string]bool)
	for _, m := range r.messages() {
		seen[m.Headers["webhook-id"]] = true
	}
	return int64(len(seen))
}

// checkSequence looks for gaps, and for repeats that differ; it returns how many
// repeats there are.
func checkSequence(t *testing.T, r *receiver, total int64) (repeats int) {
	t.Helper()
	type event struct {
		ID       string
		Sequence int64
	}
	first := make(map[int64]message)
	for _, m := range r.messages() {
		var e event
		check(t, json.Unmarshal([]byte(m.Body), &e))
		before, known := first[e.Sequence]
		if !known {
			first[e.Sequence] = m
			continue
		}
		if repeats++; before.Body != m.Body || before.Headers["webhook-id"] != m.Headers["webhook-id"] {
			t.Errorf("number %d was %s, and then %s", e.Sequence, before.Body, m.Body)
		}
	}
	for n := int64(1); n <= total; n++ {
		if _, there := first[n]; !there {
			t.Errorf("number %d is missing", n)
		}
	}
	if int64(len(first)) != total {
		t.Errorf("%d numbers for %d events", len(first), total)
	}
	return repeats
}
