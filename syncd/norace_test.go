//go:build !race

package main_test

// raceFlags builds the program as the tests are built.
var raceFlags []string
