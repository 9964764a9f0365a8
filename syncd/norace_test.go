//go:build !race

package main_test

// raceFlags make the program as the tests are made.
var raceFlags []string
