package recording

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// details is what is stored about the making of media, for the steps that
// transcribe it and report on it, and for people who look into it.
type details struct {
	Answers []answerDetails `json:"answers"`
}

// answerDetails is what is stored about an answer.
type answerDetails struct {
	TakeID     uuid.UUID `json:"take_id"`
	QuestionID uuid.UUID `json:"question_id"`
	Take       int       `json:"take"`
	StartMS    int64     `json:"start_ms"`
	EndMS      int64     `json:"end_ms"`
	Video      bool      `json:"video"` // it has pictures
	Audio      bool      `json:"audio"` // it has sound
	// Sound is the sound file to transcribe, below the version's prefix, until
	// there is a transcript. It is empty if there is no sound.
	Sound      string `json:"sound,omitempty"`
	Cut        bool   `json:"cut,omitempty"`        // too long: its end was left out
	Unreadable string `json:"unreadable,omitempty"` // why no part of it could be used
}

// soundFolder is the folder of sound files below a version's prefix. URLs of media
// contain no folders, so sound files are never sent to anybody.
const soundFolder = "sound/"

// recordedTakes returns the takes to play, in the order of the questions.
func recordedTakes(i *interviews.Interview) []interviews.Take {
	var all []interviews.Take
	for _, q := range i.Questions {
		if t := i.Answered(q.ID); t != nil && t.Status == interviews.TakeSealed && t.Mode != interviews.AnswerText {
			all = append(all, *t)
		}
	}
	return all
}

// makeMedia makes the media that people play.
func (p *Pipeline) makeMedia(ctx context.Context, claim worker.Claim) (string, error) {
	i, err := interviews.ReadHead(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	if err := p.dropEarlier(ctx, claim); err != nil {
		return "", err
	}
	takes := recordedTakes(&i)
	if len(takes) == 0 {
		return "skipped", worker.Skip(ctx, p.Store, claim)
	}
	work, err := media.NewWorkdir(p.Workdir)
	if err != nil {
		return "", step.Outage(err)
	}
	defer func() {
		if err := work.Remove(); err != nil {
			p.Log.WarnContext(ctx, "working folder not removed", "error", err)
		}
	}()
	m := &making{p: p, claim: claim, dir: work.Path, takes: takes, prefix: interviews.MediaPrefix(claim.InterviewID, claim.NextMediaVersion())}
	if err := m.writeMedia(ctx); err != nil {
		m.removeBlobs(ctx)
		return "", withoutPath(err, work.Path)
	}
	if err := worker.FinishMedia(ctx, p.Store, claim, m.madeMedia()); err != nil {
		// After any other error the commit may have succeeded, for example because the connection
		// broke. If it has not, the next claim removes the blobs.
		if errors.Is(err, store.ErrFenced) {
			m.removeBlobs(ctx)
		}
		return "", err
	}
	p.metrics.recorded.Add(m.made.Length.Seconds())
	return "done", nil
}

// dropEarlier removes what earlier claims have written without ending the step, for
// example because their process was killed.
func (p *Pipeline) dropEarlier(ctx context.Context, claim worker.Claim) error {
	versions, err := p.Blobs.ListFolders(ctx, interviews.AllMediaPrefix(claim.InterviewID))
	if err != nil {
		return step.Outage(err)
	}
	for _, name := range versions {
		version, err := strconv.Atoi(name)
		if err != nil || version >= claim.NextMediaVersion() {
			continue
		}
		if err := p.Blobs.DeletePrefix(ctx, interviews.MediaPrefix(claim.InterviewID, version)); err != nil {
			return step.Outage(err)
		}
	}
	return nil
}

// making is the making of an interview's media.
type making struct {
	p      *Pipeline
	claim  worker.Claim
	dir    string // working folder
	prefix string // of the blobs
	takes  []interviews.Take
	events []interviews.NewEvent
	made   *media.Presentation
	bytes  int64
}

// writeMedia makes the media and writes its blobs.
func (m *making) writeMedia(ctx context.Context) (err error) {
	list := make([]media.Take, len(m.takes))
	for n, t := range m.takes {
		// The name contains nothing that the trader chose.
		list[n] = media.Take{File: fmt.Sprintf("take-%03d", n), Video: t.Mode == interviews.AnswerVideo}
		if err := m.fetchTake(ctx, t, list[n].File); err != nil {
			return fmt.Errorf("fetch take %d: %w", n+1, err)
		}
	}
	if m.made, err = m.p.tools.Load().Producer.Produce(ctx, m.dir, list); err != nil {
		return err
	}
	return m.uploadFiles(ctx)
}

// fetchTake assembles a take from its parts.
func (m *making) fetchTake(ctx context.Context, t interviews.Take, name string) error {
	parts, err := answering.ListParts(ctx, m.p.Store, t.ID)
	if err != nil {
		return err
	}
	if err := m.dropUnnoted(ctx, t.ID, parts); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(m.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return step.Outage(err)
	}
	defer f.Close()
	sum, at := sha256.New(), int64(0)
	for _, part := range parts {
		if part.Offset != at {
			return step.Permanentf("its bytes %d to %d are missing", at, part.Offset)
		}
		n, err := copyBlob(ctx, m.p.Blobs, part.Blob, io.MultiWriter(f, sum))
		if err != nil {
			return err
		}
		if at += n; n != part.Bytes {
			return step.Permanentf("a part has %d bytes where %d arrived", n, part.Bytes)
		}
	}
	if at != t.Received {
		return step.Permanentf("it has %d bytes where %d arrived", at, t.Received)
	}
	if t.SHA256 != nil && !bytes.Equal(sum.Sum(nil), t.SHA256) {
		m.addEvent(t, "upload_rewritten", "medium", nil, map[string]any{"reason": "the bytes that arrived are not those that the browser recorded"})
	}
	return step.Outage(f.Close())
}

// dropUnnoted removes the parts of a take that were stored and never noted, because the process that
// received them was killed in between. Their bytes were sent again.
func (m *making) dropUnnoted(ctx context.Context, take uuid.UUID, parts []answering.TakePart) error {
	kept := make([]string, len(parts))
	for n, part := range parts {
		kept[n] = part.Blob
	}
	return step.Outage(m.p.Blobs.DeleteExcept(ctx, interviews.TakePrefix(m.claim.InterviewID, take), kept))
}

// copyBlob copies a blob's bytes to a temporary file and returns their number. Its errors are outages,
// unless there is no such blob.
func copyBlob(ctx context.Context, b *blob.Bucket, key string, to io.Writer) (int64, error) {
	r, err := b.Open(ctx, key, 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return 0, err
	}
	if err != nil {
		return 0, step.Outage(err)
	}
	defer r.Close()
	n, err := io.Copy(to, r)
	return n, step.Outage(err)
}

// addEvent stores an observation about a take.
func (m *making) addEvent(t interviews.Take, kind, severity string, length *int64, data map[string]any) {
	data["source"], data["take"] = "recording", t.Take
	text, err := json.Marshal(data)
	if err != nil {
		text = nil // numbers that JSON cannot hold; the observation stands without them
	}
	m.events = append(m.events, interviews.NewEvent{Kind: kind, Severity: severity, QuestionID: &t.QuestionID, DurationMS: length, Data: text})
}

// uploadFiles writes the blobs. A file is written before those that refer to it.
func (m *making) uploadFiles(ctx context.Context) error {
	for n, a := range m.made.Answers {
		if a.Sound == "" {
			continue
		}
		if _, err := m.putFile(ctx, soundName(n), filepath.Join(m.dir, a.Sound)); err != nil {
			return err
		}
	}
	for _, f := range m.made.Files {
		n, err := m.putFile(ctx, f.Name, filepath.Join(m.dir, m.made.Folder, f.Name))
		if err != nil {
			return err
		}
		m.bytes += n
	}
	return nil
}

func (m *making) putFile(ctx context.Context, name, path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := m.p.Blobs.Put(ctx, m.prefix+name, f)
	return n, step.Outage(err)
}

func soundName(n int) string { return fmt.Sprintf("%s%03d.wav", soundFolder, n) }

// madeMedia returns the result for the database.
func (m *making) madeMedia() worker.Media {
	made := worker.Media{
		Version: m.claim.NextMediaVersion(), Kind: interviews.AnswerAudio, DurationMS: int(m.made.Length.Milliseconds()), Bytes: m.bytes, Playlist: m.made.Playlist,
	}
	if m.made.Video {
		made.Kind, made.Width, made.Height, made.Poster = interviews.AnswerVideo, &m.made.Width, &m.made.Height, &m.made.Poster
	}
	kept := details{Answers: []answerDetails{}}
	for n, a := range m.made.Answers {
		t := m.takes[n]
		d := answerDetails{
			TakeID: t.ID, QuestionID: t.QuestionID, Take: t.Take, StartMS: a.Start.Milliseconds(), EndMS: a.End.Milliseconds(),
			Video: a.Video, Audio: a.Audio, Cut: a.Cut, Unreadable: a.Unreadable,
		}
		if a.Sound != "" {
			d.Sound = soundName(n)
		}
		kept.Answers = append(kept.Answers, d)
		if a.Unreadable == "" {
			made.Places = append(made.Places, worker.TakePlace{TakeID: t.ID, StartMS: int(d.StartMS), EndMS: int(d.EndMS)})
		}
		for _, o := range a.Observations {
			length := o.Length.Milliseconds()
			data := map[string]any{"answer_at_ms": o.At.Milliseconds(), "at_ms": (a.Start + o.At).Milliseconds()}
			for name, value := range o.Data {
				data[name] = value
			}
			m.addEvent(t, o.Kind, o.Severity, &length, data)
		}
	}
	made.Events = m.events
	made.Details, _ = json.Marshal(kept) // it cannot fail on texts and numbers
	return made
}

// removeBlobs removes what was written, also when the step was broken off.
func (m *making) removeBlobs(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	if err := m.p.Blobs.DeletePrefix(ctx, m.prefix); err != nil {
		// The next claim tries again, or the deletion of the interview does.
		m.p.Log.WarnContext(ctx, "output of a step not removed", "prefix", m.prefix, "error", err)
	}
}

// readDetails reads what was stored about an interview's media.
func readDetails(i *interviews.Interview) (details, error) {
	var d details
	if i.Media == nil || i.Media.Details == nil {
		return d, nil
	}
	if err := json.Unmarshal(i.Media.Details, &d); err != nil {
		return d, step.Permanentf("details of media can't be read: %v", err)
	}
	return d, nil
}

// fromMilliseconds returns a time on the timeline.
func fromMilliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
