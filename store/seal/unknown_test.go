package seal_test

import (
	"errors"
	"testing"

	"github.com/assayhq/assay/store/seal"
)

// TestUnknownIsCounted checks that values are counted that a keyring cannot open because their key
// is missing, and nothing else.
func TestUnknownIsCounted(t *testing.T) {
	t.Parallel()
	ring := func() *seal.Keyring {
		text, err := seal.NewKeyring()
		if err != nil {
			t.Fatal(err)
		}
		k, err := seal.ParseKeyring([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	mine, other := ring(), ring()
	var place seal.Binding
	sealed, err := other.Seal([]byte("secret"), place)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mine.Open(sealed, place); !errors.Is(err, seal.ErrUnknownKey) {
		t.Fatalf("opened with another keyring: %v, want %v", err, seal.ErrUnknownKey)
	}
	if _, err := mine.Open([]byte("no sealed value"), place); err == nil {
		t.Error("what was never sealed was opened")
	}
	if _, err := other.Open(sealed, place); err != nil {
		t.Error(err)
	}
	if mine.Unknown() != 1 || other.Unknown() != 0 {
		t.Errorf("counted %d and %d, want 1 and 0", mine.Unknown(), other.Unknown())
	}
}
