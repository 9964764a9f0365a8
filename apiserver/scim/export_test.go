package scim

// RepairBooleans is repairBooleans for tests.
func RepairBooleans(v any) any { return repairBooleans(v) }
