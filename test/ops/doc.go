// Package ops tests what operators are given: alerts, dashboards, units,
// images, manifests and the documents about them. It holds nothing but tests.
package ops
