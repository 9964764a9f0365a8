// Package livecheck runs live checks. A connector says what its steps ask for
// and how an answer is judged; what holds for the check of every platform is
// here: the order of the steps, the deadline, what a failed request means for
// its step and for those after it, and the warning of slow answers.
package livecheck
