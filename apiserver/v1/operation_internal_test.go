package v1

import (
	"maps"
	"slices"
	"testing"
)

// TestOperations: each row of operations documents one route, and rows of two files do not have the
// same ID.
func TestOperations(t *testing.T) {
	t.Parallel()
	rows := len(activityOperations) + len(apiKeyOperations) + len(auditOperations) + len(commentOperations) + len(integrationOperations) + len(interviewOperations) +
		len(sessionOperations) + len(streamOperations) + len(traderOperations) + len(userOperations) + len(webhookOperations)
	if rows != len(operations) {
		t.Errorf("%d rows, but %d IDs", rows, len(operations))
	}
	rest := maps.Clone(operations)
	for _, route := range new(API).Routes() {
		if _, ok := rest[route.ID]; !ok {
			t.Errorf("%s %s: no row, or that of another route: %q", route.Method, route.Path, route.ID)
		}
		delete(rest, route.ID)
	}
	if len(rest) > 0 {
		t.Errorf("rows without a route: %v", slices.Collect(maps.Keys(rest)))
	}
}
