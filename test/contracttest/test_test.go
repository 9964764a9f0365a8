package contracttest_test

import (
	"testing"

	"github.com/assayhq/assay/contracttest"
)

// A platform's own test is a call of Test.
func TestTest(t *testing.T) {
	p := newPlatform(t)
	contracttest.Test(t, p.quick(contracttest.Full))
}
