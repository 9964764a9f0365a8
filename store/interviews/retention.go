package interviews

import (
	"fmt"
	"time"
)

// MaxRetentionDays limits how long anything of an interview is kept after its end.
const MaxRetentionDays = 1095

// RecordRetention returns how long transcript, report and events of an interview are kept, whose
// recording is kept for the days: twice as long.
func RecordRetention(days int) time.Duration {
	return time.Duration(min(2*days, MaxRetentionDays)) * 24 * time.Hour
}

// RecordRetentionSQL returns RecordRetention of a row of interviews in SQL.
func RecordRetentionSQL() string {
	return fmt.Sprintf(`make_interval(days => least(2 * retention_days, %d))`, MaxRetentionDays)
}
