// Package wire writes JSON as the platforms of this kit send it: exact decimal
// numbers, times in microseconds, and records whose members are changed after
// they have been written. It uses the standard library only.
package wire
