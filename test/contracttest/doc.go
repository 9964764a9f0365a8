// Package contracttest tests the kit for customers against the reference platform and its
// faults. The kit's own module requires nothing, and these tests need the simulator and
// libraries. It holds nothing but tests.
package contracttest
