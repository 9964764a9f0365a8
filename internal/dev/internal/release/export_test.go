package release

// PublishLinks is for tests.
func (v Version) PublishLinks(name, document string, isThere func(file string) bool) string {
	return string(v.publishLinks(name, []byte(document), isThere))
}

// IsPacked is for tests.
func IsPacked(name string) bool { return isPacked(name) }
