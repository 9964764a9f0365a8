package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assayhq/assay/store"
)

// replicaPeriod is how often the replica is compared with the primary. After a change, reads use
// the primary for about that long.
const replicaPeriod = 250 * time.Millisecond

// followReplica compares the replica with the primary until ctx ends. It logs when reads start
// and stop using the replica.
func followReplica(db *store.DB, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		if !db.HasReplica() {
			return
		}
		tick := time.NewTicker(replicaPeriod)
		defer tick.Stop()
		used, said := false, ""
		for {
			err := db.MeasureReplica(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil && !used:
				log.InfoContext(ctx, "reads go to the replica")
			case err != nil && (used || err.Error() != said):
				log.WarnContext(ctx, "reads do not go to the replica", "error", err)
				said = err.Error()
			}
			used = err == nil
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// replicaRemark is what /readyz adds if there is a replica. A process whose replica is
// unavailable is ready as well.
func replicaRemark(db *store.DB) func(context.Context) string {
	return func(context.Context) string {
		switch {
		case !db.HasReplica():
			return ""
		case db.ReplicaStats().Used:
			return "reads go to the replica"
		}
		return "reads do not go to the replica"
	}
}

// oneIf returns a boolean as the value of a gauge.
func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// replicaMetrics adds the metrics of the replica. Without a replica, the only metric says so.
func replicaMetrics(r prometheus.Registerer, db *store.DB) {
	metric := promauto.With(r)
	metric.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_apiserver_replicas", Help: "Replicas configured for reads: 0 or 1.",
	}, func() float64 { return oneIf(db.HasReplica()) })
	metric.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_apiserver_replica_used", Help: "1 while reads go to the replica, otherwise 0.",
	}, func() float64 { return oneIf(db.ReplicaStats().Used) })
	metric.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_apiserver_replica_behind_seconds", Help: "How far the replica is behind, or -1 if that is unknown or there is no replica.",
	}, func() float64 {
		if behind := db.ReplicaStats().Behind; behind >= 0 {
			return behind.Seconds()
		}
		return -1
	})
	for served, count := range map[string]func(store.ReplicaStats) int64{
		"replica": func(s store.ReplicaStats) int64 { return s.Replica },
		"primary": func(s store.ReplicaStats) int64 { return s.Primary },
		"again":   func(s store.ReplicaStats) int64 { return s.Again },
	} {
		metric.NewCounterFunc(prometheus.CounterOpts{
			Name: "assay_apiserver_replica_reads_total", Help: "Reads that could use the replica: served by it (replica), by the primary (primary), or by both because the replica failed or found nothing (again).",
			ConstLabels: prometheus.Labels{"served": served},
		}, func() float64 { return float64(count(db.ReplicaStats())) })
	}
}
