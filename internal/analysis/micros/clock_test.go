package micros_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis/micros"
)

// TestClock compares with the time package, around changes of clocks and before the epoch, in
// whatever order moments come.
func TestClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		c := micros.NewClock(zone)
		for i := range int64(4000) {
			at := (i*7919%4000 - 1000) * (31*micros.Hour + 7*micros.Minute)
			want := time.UnixMicro(at).In(zone)
			day, hour := c.DayAndHour(at)
			weekday := time.Weekday((micros.WeekdayOf(day) + 1) % 7) // Monday is 0 there and 1 here
			if date := micros.FormatDate(day); date != want.Format(time.DateOnly) || hour != want.Hour() || weekday != want.Weekday() || c.DayOf(at) != day {
				t.Fatalf("%s: %s %d o'clock, %s, want %s", name, date, hour, weekday, want)
			}
			if !micros.TimeOf(at).Equal(want) {
				t.Fatalf("%s: %s, want %s", name, micros.TimeOf(at), want)
			}
		}
	}
}
