package interview

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
)

// state is the state of the interview, for the trader's page.
type state struct {
	SessionID       uuid.UUID      `json:"session_id"`
	InterviewID     uuid.UUID      `json:"interview_id"`
	Status          string         `json:"status"`
	ConsentedAt     *time.Time     `json:"consented_at"`
	DeviceCheckedAt *time.Time     `json:"device_checked_at"`
	StartedAt       *time.Time     `json:"started_at"`
	CompleteBy      *time.Time     `json:"complete_by"`
	TimeLeftMS      *int64         `json:"time_left_ms"`     // time until complete_by, by the server's clock; null before the start
	AllowUnanswered bool           `json:"allow_unanswered"` // questions that cannot be answered may be submitted without an answer
	AnswerModes     []string       `json:"answer_modes"`
	ExtraTimeFactor float64        `json:"extra_time_factor"`
	Integrity       watched        `json:"integrity"`
	Questions       []question     `json:"questions"` // empty before the start
	Answers         []answeredTake `json:"answers"`
}

type watched struct {
	Fullscreen   string `json:"fullscreen"`
	SecondScreen bool   `json:"second_screen"`
}

type question struct {
	ID           uuid.UUID `json:"id"`
	Index        int       `json:"index"`
	Prompt       *string   `json:"prompt"`        // null until the question has been shown
	ThinkLeftMS  *int64    `json:"think_left_ms"` // null until the question has been shown
	ThinkSeconds int       `json:"think_seconds"`
	MaxSeconds   int       `json:"max_seconds"`
	MaxTakes     int       `json:"max_takes"`
	Required     bool      `json:"required"`
	Unanswerable bool      `json:"unanswerable"` // no take is left, or the devices do not work
}

type answeredTake struct {
	QuestionID uuid.UUID `json:"question_id"`
	Take       int       `json:"take"`
	Mode       string    `json:"mode"`
	Status     string    `json:"status"`
	Counts     bool      `json:"counts"` // uses up one of the question's takes
	DurationMS *int      `json:"duration_ms"`
	Text       *string   `json:"text"`
}

// stateOf returns what the page learns about the interview.
func stateOf(s answering.Session, i interviews.Interview, now time.Time) state {
	shown := state{
		SessionID: s.ID, InterviewID: i.ID, Status: string(i.Status), StartedAt: i.StartedAt, CompleteBy: i.CompleteBy, AnswerModes: i.AnswerModes,
		AllowUnanswered: i.AllowUnanswered, ExtraTimeFactor: 1, Integrity: watched{i.Integrity.Fullscreen, i.Integrity.SecondScreen != "off"}, Questions: []question{}, Answers: []answeredTake{},
	}
	if i.Consent != nil && i.Consent.Accepted {
		shown.ConsentedAt = &i.Consent.DecidedAt
	}
	if i.Device != nil && i.Device.Outcome != interviews.DeviceFailed {
		shown.DeviceCheckedAt, shown.ExtraTimeFactor = &i.Device.CheckedAt, answering.ExtraTime(i.Device.Result)
	}
	if i.StartedAt == nil {
		return shown
	}
	if i.CompleteBy != nil {
		shown.TimeLeftMS = new(max(i.CompleteBy.Sub(now).Milliseconds(), 0))
	}
	for _, q := range i.Questions {
		shown.Questions = append(shown.Questions, questionOf(q, shown.ExtraTimeFactor, now))
		shown.Questions[len(shown.Questions)-1].Unanswerable = i.Unanswerable(q)
	}
	for _, t := range i.Takes {
		shown.Answers = append(shown.Answers, answeredTake{t.QuestionID, t.Take, string(t.Mode), string(t.Status), t.Counts, t.DurationMS, t.Text})
	}
	return shown
}

// questionOf returns what the page learns about a question. It includes the words once the trader
// has requested them, which starts the time to think.
func questionOf(q interviews.Question, factor float64, now time.Time) question {
	shown := question{
		ID: q.ID, Index: q.Index, ThinkSeconds: scaleSeconds(q.ThinkSeconds, factor), MaxSeconds: scaleSeconds(q.MaxSeconds, factor), MaxTakes: q.MaxTakes, Required: q.Required,
	}
	if q.ServedAt == nil {
		return shown
	}
	left := q.ServedAt.Add(time.Duration(shown.ThinkSeconds) * time.Second).Sub(now)
	shown.Prompt, shown.ThinkLeftMS = &q.Prompt, new(max(left.Milliseconds(), 0))
	return shown
}

func scaleSeconds(seconds int, factor float64) int { return int(math.Round(float64(seconds) * factor)) }

// State answers GET /i/{token}/state.
func (h *Handler) State(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readSession(r)
	if err != nil {
		return err
	}
	i, err := h.readInterview(r, s)
	if err != nil {
		return err
	}
	return answerJSON(w, stateOf(s, i, s.Now))
}

// answerState answers a change with the resulting state.
func (h *Handler) answerState(w http.ResponseWriter, r *http.Request, s answering.Session) error {
	opened, err := h.openInvite(r)
	if err != nil {
		return err
	}
	return answerJSON(w, stateOf(s, opened.Interview, opened.Now))
}

// deviceCheck is the body of POST device-check.
type deviceCheck struct {
	device        interviews.Device
	accommodation string
}

// measured has the form of interviews.Device.Result.
type measured struct {
	UploadKBPS *int     `json:"upload_kbps"`
	ExtraTime  *float64 `json:"extra_time,omitempty"`
}

// readExtraTime reads the requested multiple of the planned time.
func readExtraTime(o *decode.Object, text string) *float64 {
	switch text {
	case "1":
		return nil
	case "1.5":
		return new(1.5)
	case "2":
		return new(float64(answering.MaxExtraTime))
	}
	o.Fault("extra_time", problem.InvalidFormat, "Must be 1, 1.5 or 2.")
	return nil
}

func readDeviceCheck(o *decode.Object) (c deviceCheck) {
	outcome := o.Text("outcome", 20)
	o.Require("outcome", outcome.State)
	if outcome.State == decode.Set && outcome.Value != string(interviews.DeviceOK) && outcome.Value != string(interviews.DeviceOverridden) {
		o.Fault("outcome", problem.InvalidFormat, "Must be ok or overridden.")
	}
	c.device.Outcome = interviews.DeviceOutcome(outcome.Value)
	for _, part := range []struct {
		name  string
		field **string
	}{{"browser", &c.device.Browser}, {"os", &c.device.OS}, {"camera", &c.device.Camera}, {"microphone", &c.device.Microphone}, {"screen", &c.device.Screen}} {
		if text := o.Text(part.name, 200); text.State == decode.Set {
			*part.field = &text.Value
		}
	}
	var result measured
	if speed := o.Int("upload_kbps", 0, 100_000_000); speed.State == decode.Set {
		result.UploadKBPS = &speed.Value
	}
	if extra := o.Text("extra_time", 4); extra.State == decode.Set {
		result.ExtraTime = readExtraTime(o, extra.Value)
	}
	c.device.Result, _ = json.Marshal(result) // numbers can always be encoded
	c.accommodation = o.Text("accommodation", 1000).Value
	return c
}

// CheckDevice answers POST /i/{token}/device-check.
func (h *Handler) CheckDevice(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	c, err := decode.BodyOf(r, readDeviceCheck)
	if err != nil {
		return err
	}
	if c.accommodation != "" {
		if err := answering.RequestAccommodation(r.Context(), h.Store, s, c.accommodation); err != nil {
			return h.linkError(r, err)
		}
	}
	if err := answering.CheckDevice(r.Context(), h.Store, s, c.device); err != nil {
		return h.linkError(r, err)
	}
	return h.answerState(w, r, s)
}

// SpeedTest answers POST /i/{token}/speed-test. It counts the bytes and discards them.
func (h *Handler) SpeedTest(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.readForChange(r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Start answers POST /i/{token}/start: it fixes the questions and starts the time. Starting again
// changes nothing.
func (h *Handler) Start(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	i, err := h.readInterview(r, s)
	if err != nil {
		return err
	}
	if err := decode.NoBody(r); err != nil {
		return err
	}
	if i.StartedAt == nil {
		_, err := answering.Start(r.Context(), h.Store, s)
		switch {
		case errors.Is(err, answering.ErrNoConsent):
			return problem.New(problem.Conflict, "Consent to being recorded first.")
		case errors.Is(err, answering.ErrNoDevice):
			return problem.New(problem.Conflict, "Check the camera and the microphone first.")
		case err != nil && !errors.Is(err, interviews.ErrStarted):
			return h.linkError(r, err)
		}
	}
	return h.answerState(w, r, s)
}

// questionIn returns the id of the question in the path.
func questionIn(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(mux.Vars(r)[QuestionVariable])
	if err != nil {
		return id, problem.New(problem.NotFound, "The interview has no such question.")
	}
	return id, nil
}

// takeFailed explains the store's errors about takes.
func (h *Handler) takeFailed(r *http.Request, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return problem.New(problem.NotFound, "The interview has no such question or take.")
	case errors.Is(err, answering.ErrNoTakes):
		return problem.New(problem.Conflict, "The question has no takes left, or one of them is still being recorded or uploaded.")
	case errors.Is(err, answering.ErrTimeOver):
		return problem.New(problem.Conflict, "The time for this interview is over.")
	case errors.Is(err, answering.ErrAnswerMode):
		return problem.Validation(problem.Fault{Pointer: "#/mode", Code: problem.InvalidFormat, Detail: "The interview does not allow this kind of answer."})
	case errors.Is(err, answering.ErrTakeSealed):
		return problem.New(problem.Conflict, "The take has already ended.")
	case errors.Is(err, answering.ErrUploadIncomplete):
		return problem.New(problem.UploadIncomplete, "")
	case errors.Is(err, answering.ErrTooLarge):
		return problem.New(problem.PayloadTooLarge, "The recording is larger than the limit for an interview.")
	case errors.Is(err, answering.ErrUnanswered):
		return problem.New(problem.Conflict, "A required question has no answer yet.")
	case errors.Is(err, answering.ErrMustAnswer):
		return problem.New(problem.Conflict, "A required question has no answer, and this interview cannot be submitted without one. Contact the firm that sent you the link.")
	case errors.Is(err, interviews.ErrInvalidState):
		return problem.New(problem.Conflict, "The interview is not in progress.")
	}
	return h.linkError(r, err)
}

// Serve answers POST /i/{token}/answers/{question}/serve: the trader has requested the question,
// which starts the time to think. Requesting it again changes nothing.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	id, err := questionIn(r)
	if err != nil {
		return err
	}
	if err := decode.NoBody(r); err != nil {
		return err
	}
	if _, err := answering.ServeQuestion(r.Context(), h.Store, s, id); err != nil {
		return h.takeFailed(r, err)
	}
	return h.answerState(w, r, s)
}

// wish is the body of POST takes.
type wish struct {
	mode      interviews.AnswerMode
	mediaType string // media type of the recording; empty for a written answer
}

// recordable lists what browsers record: containers with their codecs.
var recordable = regexp.MustCompile(`^(video|audio)/(webm|mp4)(; ?codecs="?[A-Za-z0-9., ]{1,80}"?)?$`)

func readWish(o *decode.Object) (n wish) {
	mode, media := o.Text("mode", 10), o.Text("media_type", 120)
	o.Require("mode", mode.State)
	n.mode, n.mediaType = interviews.AnswerMode(mode.Value), media.Value
	if mode.State != decode.Set || n.mode == interviews.AnswerText {
		return n
	}
	o.Require("media_type", media.State)
	if media.State == decode.Set && !recordable.MatchString(n.mediaType) {
		o.Fault("media_type", problem.InvalidFormat, "Must be WebM or MP4, such as video/webm;codecs=vp8,opus.")
	}
	return n
}

// takeOpened says where to send a take's bytes.
type takeOpened struct {
	Take           int    `json:"take"`
	UploadEndpoint string `json:"upload_endpoint"`
}

// OpenTake answers POST /i/{token}/answers/{question}/takes: a recording begins. A written answer
// has no take until it is sealed.
func (h *Handler) OpenTake(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	if err := h.limitLink(r); err != nil {
		return err
	}
	id, err := questionIn(r)
	if err != nil {
		return err
	}
	n, err := decode.BodyOf(r, readWish)
	if err != nil {
		return err
	}
	if n.mode == interviews.AnswerText {
		return problem.Validation(problem.Fault{Pointer: "#/mode", Code: problem.InvalidFormat, Detail: "A written answer is completed without opening a take."})
	}
	if _, err := answering.ServeQuestion(r.Context(), h.Store, s, id); err != nil {
		return h.takeFailed(r, err)
	}
	take, err := answering.BeginTake(r.Context(), h.Store, s, answering.NewTake{QuestionID: id, Mode: n.mode, MediaType: n.mediaType})
	if err != nil {
		return h.takeFailed(r, err)
	}
	return answerJSON(w, takeOpened{take.Take, uploadsPath(tokenOf(r))})
}

// ended is the body of POST seal and abort.
type ended struct {
	take     int
	sealing  answering.Sealing
	text     *string
	recorded time.Duration // zero if the browser does not know
}

// longestTake limits the stated length of a recording, in milliseconds.
const longestTake = 24 * 3600 * 1000

func readSeal(o *decode.Object) (e ended) {
	take, bytes, duration := o.Int("take", 1, 10_000), o.Int("bytes", 0, answering.MaxTakeBytes), o.Int("duration_ms", 0, longestTake)
	e.take, e.sealing.Bytes, e.sealing.DurationMS = take.Value, int64(bytes.Value), duration.Value
	if text := o.Text("text", answering.MaxWritten); text.State == decode.Set {
		e.text = &text.Value
		if strings.TrimSpace(text.Value) == "" {
			o.Fault("text", problem.Required, "Must not be empty.")
		}
		return e
	}
	o.Require("take", take.State)
	hash := o.Text("sha256", 64)
	o.Require("bytes", bytes.State)
	o.Require("duration_ms", duration.State)
	if hash.State != decode.Set || hash.Value == "" {
		return e
	}
	sum, err := hex.DecodeString(hash.Value)
	if err != nil || len(sum) != 32 {
		o.Fault("sha256", problem.InvalidFormat, "Must be 64 hexadecimal digits.")
	}
	e.sealing.SHA256 = sum
	return e
}

// Seal answers POST /i/{token}/answers/{question}/seal: the take, and with it the answer, is
// complete. Sealing it again changes nothing.
func (h *Handler) Seal(w http.ResponseWriter, r *http.Request) error {
	return h.endTake(w, r, readSeal, func(s answering.Session, question uuid.UUID, take interviews.Take, e ended) error {
		if e.text != nil {
			_, err := answering.SealWritten(r.Context(), h.Store, s, question, *e.text)
			return err
		}
		_, err := answering.SealTake(r.Context(), h.Store, s, take.ID, e.sealing)
		return err
	})
}

func readAbort(o *decode.Object) (e ended) {
	take, recorded := o.Int("take", 1, 10_000), o.Int("recorded_ms", 0, longestTake)
	o.Require("take", take.State)
	e.take = take.Value
	e.recorded = time.Duration(recorded.Value) * time.Millisecond
	return e
}

// Abort answers POST /i/{token}/answers/{question}/abort: the take was broken off, and the server
// decides whether it counts (answering.AbortTake). A browser may not know the take's length
// because another browser recorded it. In that case the server determines the length as well.
func (h *Handler) Abort(w http.ResponseWriter, r *http.Request) error {
	return h.endTake(w, r, readAbort, func(s answering.Session, _ uuid.UUID, take interviews.Take, e ended) error {
		_, err := answering.AbortTake(r.Context(), h.Store, s, take.ID, e.recorded)
		return err
	})
}

// endTake ends a take of a question and answers with the state.
func (h *Handler) endTake(w http.ResponseWriter, r *http.Request, read func(*decode.Object) ended, do func(s answering.Session, question uuid.UUID, take interviews.Take, e ended) error) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	i, err := h.readInterview(r, s)
	if err != nil {
		return err
	}
	question, err := questionIn(r)
	if err != nil {
		return err
	}
	e, err := decode.BodyOf(r, read)
	if err != nil {
		return err
	}
	take, ok := findTake(i, question, e.take)
	if !ok && e.text == nil {
		return problem.New(problem.NotFound, "The interview has no such question or take.")
	}
	if err := do(s, question, take, e); err != nil {
		return h.takeFailed(r, err)
	}
	return h.answerState(w, r, s)
}

// findTake returns the take of a question with a number.
func findTake(i interviews.Interview, question uuid.UUID, number int) (interviews.Take, bool) {
	for _, t := range i.Takes {
		if t.QuestionID == question && t.Take == number {
			return t, true
		}
	}
	return interviews.Take{}, false
}
