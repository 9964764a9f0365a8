package v1_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// TestObjectsInTheLog checks that an object appears in the log only with its id, never with text
// that was sent instead of an id.
func TestObjectsInTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := uuid.NewString()
	tests := []struct {
		path string
		want any // object_id
	}{
		{"/v1/integrations/" + id, id},
		{"/v1/integrations/" + strings.ToUpper(id) + "/runs", id},
		{"/v1/integrations/hunter2", nil},
		{"/v1/integrations/%7B" + id + "%7D", nil},
		{"/v1/integrations/egress", nil},
		{"/v1/integrations/" + id + "/hunter2", nil},
	}
	request304 := "request-known"
	requestOf := func(i int) string { return fmt.Sprintf("request-%d", i) }
	for i, tt := range tests {
		b.ask(t, request{method: "GET", path: tt.path, key: b.key, header: with("X-Request-Id", requestOf(i))})
	}
	tag := b.tag(t, "/v1/integrations/egress")
	b.ask(t, request{method: "GET", path: "/v1/integrations/egress", key: b.key, header: http.Header{
		"If-None-Match": {tag}, "X-Request-Id": {request304},
	}}).want(t, http.StatusNotModified)
	b.server.Close()
	events := make(map[any]map[string]any) // by request id
	for line := range strings.Lines(b.log.String()) {
		var event map[string]any
		check(t, json.Unmarshal([]byte(line), &event))
		events[event["request_id"]] = event
	}
	for i, tt := range tests {
		if diff := cmp.Diff(tt.want, events[requestOf(i)]["object_id"]); diff != "" {
			t.Errorf("%s: object_id (-want +got):\n%s", tt.path, diff)
		}
	}
	if last := events[request304]; last["status"] != 304.0 || last["bytes"] != 0.0 {
		t.Errorf("a 304 is logged as %v", last)
	}
	if strings.Contains(b.log.String(), "hunter2") || strings.Contains(b.log.String(), tag) {
		t.Errorf("the log holds what it must not: %s", b.log)
	}
}
