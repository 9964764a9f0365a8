package boot

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assayhq/assay/store"
)

// addStoreMetrics adds the store's metrics of its connections and its keyring.
func addStoreMetrics(r prometheus.Registerer, db *store.DB) {
	metric := promauto.With(r)
	gauge := func(name, help string, value func(store.PoolStats) float64) {
		metric.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(db.PoolStats()) })
	}
	gauge("assay_database_pool_connections", "Open connections to the database.", func(s store.PoolStats) float64 { return float64(s.Open) })
	gauge("assay_database_pool_connections_in_use", "Connections in use.", func(s store.PoolStats) float64 { return float64(s.InUse) })
	gauge("assay_database_pool_connections_max", "The most connections that the pool opens.", func(s store.PoolStats) float64 { return float64(s.Max) })
	metric.NewCounterFunc(prometheus.CounterOpts{
		Name: "assay_database_pool_wait_seconds_total", Help: "Time spent waiting for a connection.",
	}, func() float64 { return db.PoolStats().Waited.Seconds() })
	metric.NewCounterFunc(prometheus.CounterOpts{
		Name: "assay_keyring_unknown_key_total", Help: "Stored secrets that could not be opened because their key is missing from the keyring.",
	}, func() float64 { return float64(db.UnknownKeys()) })
}
