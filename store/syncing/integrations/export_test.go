package integrations

// NormalizeBaseURL returns the form of a base URL that distinguishes platforms.
func NormalizeBaseURL(base string) string { return normalizeBaseURL(base) }
