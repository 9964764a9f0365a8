package deliver_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// spent is the processor time of this process, which is deliverer and receiver, and
// of the connections to the database, whose server is on the same machine.
type spent struct{ process, server time.Duration }

// spent reads the processor time so far. Connections that have ended in the
// meantime are left out.
func (p *post) spent(tb testing.TB) (s spent) {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	s.process = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	rows, err := p.conn.Query(tb.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
	if err != nil {
		tb.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		tb.Fatal(err)
	}
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, f := range fields[11:13] {
			ticks, err := strconv.Atoi(f)
			if err != nil {
				tb.Fatal(err)
			}
			s.server += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return s
}

// report reports the processor time since the given measurement, for each delivery.
func (s spent) report(tb *testing.B, since spent, deliveries int) {
	tb.ReportMetric(float64((since.process-s.process).Microseconds())/float64(deliveries), "process_us/delivery")
	tb.ReportMetric(float64((since.server-s.server).Microseconds())/float64(deliveries), "server_us/delivery")
}
