package viewing

import (
	"fmt"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// Errors of links and playback. If one is returned, nothing was changed.
var (
	// ErrMediaProcessing means that the recording is being made.
	ErrMediaProcessing = fmt.Errorf("%w: media is being processed", interviews.ErrInvalidState)
	// ErrNoShare means that there is no link to revoke.
	ErrNoShare = fmt.Errorf("%w: no share link", store.ErrNotFound)
	// ErrNoSubtitles means that there are no captions.
	ErrNoSubtitles = fmt.Errorf("%w: no subtitles", store.ErrNotFound)
	// ErrNoMedia means that there is no recording to play.
	ErrNoMedia = fmt.Errorf("%w: no media", store.ErrNotFound)
)
