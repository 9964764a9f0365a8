// Package livecheck runs live checks. A connector says what its steps request and
// how an answer is judged. This package holds what is common to the checks of all
// platforms: the order of the steps, the deadline, what a failed request means for
// its step and for later ones, and the warning about slow answers.
package livecheck
