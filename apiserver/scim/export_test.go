package scim

import "net/http"

// RepairFilter is repairFilter for tests.
func RepairFilter(r *http.Request) error { return repairFilter(r) }

// RepairBooleans is repairBooleans for tests.
func RepairBooleans(v any) any { return repairBooleans(v) }
