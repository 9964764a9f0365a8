// Package release tests what make release builds: that the same sources give the same
// bytes, and that the package can be installed, run, upgraded and removed.
package release
