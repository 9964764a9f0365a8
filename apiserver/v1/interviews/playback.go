package interviews

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// Lifetimes of playback addresses.
const (
	defaultPlaybackTTL = 10 * time.Minute
	refreshEarly       = time.Minute
	mediaHLS           = "application/vnd.apple.mpegurl"
)

// playbackBody is the temporary URLs to play an interview.
//
//openapi:name Playback
type playbackBody struct {
	ExpiresAt    time.Time    `json:"expires_at"`                   // when the URLs expire
	RefreshAfter time.Time    `json:"refresh_after"`                // When to request new URLs. A player can replace them during playback.
	DurationMS   int          `json:"duration_ms" example:"312000"` // total duration of all answers in milliseconds
	Sources      []sourceBody `json:"sources" api:"items=4"`        // recordings to play, best first
	Answers      []placeBody  `json:"answers" api:"items=50"`       // position of each answer in the recording
	// URL of a picture to show before playback. Null if there is only sound.
	PosterURL *string `json:"poster_url" api:"max=2048,format=uri" example:"https://assay.example/media/v1/x/poster.jpg"`
	// URL of the captions (WebVTT), which requires the API key or session. Null if there are none.
	SubtitlesURL *string `json:"subtitles_url" api:"max=2048,format=uri" example:"https://assay.example/v1/interviews/01980000-0000-7000-8000-000000000004/subtitles"`
}

// sourceBody is a recording to play.
//
//openapi:name PlaybackSource
type sourceBody struct {
	Kind     string `json:"kind" api:"max=10,open" example:"hls"`                                                // how the recording is delivered
	MIMEType string `json:"mime_type" api:"max=100" example:"application/vnd.apple.mpegurl"`                     // media type of the recording
	URL      string `json:"url" api:"max=2048,format=uri" example:"https://assay.example/media/v1/x/index.m3u8"` // URL of the recording
}

// placeBody is the position of an answer in the recording.
//
//openapi:name PlaybackAnswer
type placeBody struct {
	QuestionID uuid.UUID `json:"question_id"`            // unique identifier of the question
	Take       int       `json:"take" example:"1"`       // number of the take
	StartMS    int       `json:"start_ms" example:"0"`   // start of the answer in milliseconds from the beginning
	EndMS      int       `json:"end_ms" example:"43120"` // end of the answer in milliseconds from the beginning
}

// createPlayback answers POST /v1/interviews/{id}/playback. Each call is recorded.
func (a *API) createPlayback(w http.ResponseWriter, r *http.Request) error {
	id, _, err := bodyAbout(a, r, decode.ReadNothing)
	if err != nil {
		return err
	}
	expires := time.Now().UTC().Truncate(time.Second).Add(a.playback)
	i, err := viewing.RecordPlayback(r.Context(), a.store, route.NewChange(r), id, middleware.EventFrom(r.Context()).ClientPrefix())
	if err != nil {
		return err
	}
	signed, err := media.Sign(a.store, media.Grant{Interview: id, Version: i.Media.Version, Expires: expires})
	if err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: a.playbackOf(i, signed, expires)}.Write(w)
}

// playbackOf returns the addresses of an interview that can be played.
func (a *API) playbackOf(i interviews.Interview, signed string, expires time.Time) playbackBody {
	url := func(file string) string { return a.publicURL + signed + file }
	b := playbackBody{
		ExpiresAt: expires, RefreshAfter: expires.Add(-refreshEarly), DurationMS: i.Media.DurationMS,
		Sources: []sourceBody{{"hls", mediaHLS, url(i.Media.Playlist)}},
	}
	for _, q := range i.Questions {
		if t := i.Answered(q.ID); t != nil && t.StartMS != nil && t.EndMS != nil {
			b.Answers = append(b.Answers, placeBody{q.ID, t.Take, *t.StartMS, *t.EndMS})
		}
	}
	if i.Media.Poster != nil {
		b.PosterURL = new(url(*i.Media.Poster))
	}
	if i.Step(steps.Subtitles).Status == steps.Done {
		vtt := a.publicURL + route.InterviewsPath + i.ID.String() + "/subtitles"
		b.SubtitlesURL = &vtt
	}
	return b
}
