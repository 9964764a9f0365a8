package schedule

import "fmt"

// panicError is a panic in a slice or a job.
type panicError struct {
	value any
	stack []byte
}

func (p panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }
