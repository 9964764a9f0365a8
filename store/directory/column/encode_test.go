package column

import (
	"testing"
	"time"
)

// FuzzAppendTime compares AppendTime with package time.
func FuzzAppendTime(f *testing.F) {
	f.Add(int64(0), int64(0))
	f.Add(int64(1795000000), int64(123456000))
	f.Add(int64(-62135596799), int64(100000))
	f.Add(int64(253402300799), int64(999999999))
	f.Fuzz(func(t *testing.T, seconds, nanos int64) {
		at := time.Unix(seconds%253402300800, nanos%1e9).UTC().Truncate(time.Microsecond)
		if at.IsZero() || at.Year() < 1 || at.Year() > 9999 {
			return // the zero time is null, and Postgres receives no others
		}
		want := at.Format("2006-01-02 15:04:05.999999+00")
		if got, ok := AppendTime(nil, at); string(got) != want || !ok {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
