package blob

import (
	"fmt"
	"regexp"
	"strings"
)

// maxKey is the length of the longest key in bytes. Stores allow 1024, file systems less for each
// part.
const maxKey = 512

// part matches the text between the slashes of a key. It does not begin with a dot, so that no part
// leads out of the folder.
var part = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$`)

// checkKey refuses keys that have a special meaning in one of the stores.
func checkKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("%w: longer than %d bytes", ErrKey, maxKey)
	}
	for p := range strings.SplitSeq(key, "/") {
		if !part.MatchString(p) {
			return fmt.Errorf("%w: %q is not a path of letters, digits, dots, dashes and underscores", ErrKey, key)
		}
		// The first is the suffix of files that are being written. The others have a meaning for
		// the file driver.
		if strings.HasSuffix(p, tempSuffix) || strings.HasSuffix(p, ".attrs") || strings.Contains(p, "__0x") {
			return fmt.Errorf("%w: %q is reserved for the folder itself", ErrKey, key)
		}
	}
	return nil
}

// checkPrefix accepts only folders: without the slash at the end, the prefix "a/1" would also match
// "a/10".
func checkPrefix(prefix string) error {
	folder, ok := strings.CutSuffix(prefix, "/")
	if !ok {
		return fmt.Errorf("%w: prefix %q does not end in a slash", ErrKey, prefix)
	}
	return checkKey(folder)
}
