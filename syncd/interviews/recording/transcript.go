package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/caption"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// makeTranscript transcribes the recorded answers and adds the written ones. If the recorded ones
// cannot be transcribed, the step has failed, and their sounds are kept for when it is started again.
func (p *Pipeline) makeTranscript(ctx context.Context, claim worker.Claim) (string, error) {
	i, err := interviews.ReadHead(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	answers, sounds, err := listAnswers(&i)
	if err != nil {
		return "", err
	}
	if len(answers) == 0 {
		return "skipped", worker.Skip(ctx, p.Store, claim)
	}
	head, missing := p.transcribeSounds(ctx, &i, answers, sounds)
	last := isPermanent(missing) || step.IsFinal(claim, missing)
	if missing != nil && (!last || len(sounds) == len(answers) || ctx.Err() != nil) {
		return "", missing
	}
	if missing != nil { // the written answers are better than nothing
		for n := range answers {
			answers[n].Recognition = nil
		}
		head = transcript.Head{Language: i.Language, Note: "Spoken answers are missing: " + missing.Error()}
	}
	head.GeneratedAt = claim.Now().Truncate(time.Second)
	made := transcript.Assemble(head, answers)
	text, err := json.Marshal(made)
	if err != nil {
		return "", err
	}
	err = worker.FinishTranscript(ctx, p.Store, claim, worker.Transcript{Engine: made.Engine, Quality: string(made.Quality), Transcript: text, Missing: missing})
	if err != nil {
		return "", err
	}
	if missing != nil {
		p.Log.WarnContext(ctx, "spoken answers not transcribed", "interview_id", i.ID, "error", missing)
		return "failed", nil
	}
	p.dropSounds(ctx, &i)
	return "done", nil
}

// listAnswers returns the answers in which something is said or written, in the
// order of the questions. sounds holds the blobs to transcribe, by their index in
// that list.
func listAnswers(i *interviews.Interview) (answers []transcript.Answer, sounds map[int]string, err error) {
	d, err := readDetails(i)
	if err != nil {
		return nil, nil, err
	}
	recorded := map[uuid.UUID]answerDetails{}
	for _, a := range d.Answers {
		recorded[a.TakeID] = a
	}
	sounds = map[int]string{}
	end := time.Duration(0)
	for _, q := range i.Questions {
		t := i.Answered(q.ID)
		if t == nil || t.Status != interviews.TakeSealed {
			continue
		}
		answer := transcript.Answer{QuestionID: q.ID.String(), Take: t.Take, Start: end, End: end}
		if t.Mode == interviews.AnswerText {
			if t.Text == nil {
				continue
			}
			answer.Text = *t.Text
		} else {
			a, ok := recorded[t.ID]
			if !ok || a.Sound == "" {
				continue
			}
			answer.Start, answer.End = fromMilliseconds(a.StartMS), fromMilliseconds(a.EndMS)
			end = answer.End
			sounds[len(answers)] = interviews.MediaPrefix(i.ID, i.Media.Version) + a.Sound
		}
		answers = append(answers, answer)
	}
	return answers, sounds, nil
}

// transcribeSounds transcribes the sounds and returns a description of the engine.
func (p *Pipeline) transcribeSounds(ctx context.Context, i *interviews.Interview, answers []transcript.Answer, sounds map[int]string) (transcript.Head, error) {
	if len(sounds) == 0 {
		return transcript.Head{Language: i.Language}, nil
	}
	engine, err := p.chooseEngine(ctx, i)
	if err != nil {
		return transcript.Head{}, err
	}
	work, err := media.NewWorkdir(p.Workdir)
	if err != nil {
		return transcript.Head{}, step.Outage(err)
	}
	defer func() {
		if err := work.Remove(); err != nil {
			p.Log.WarnContext(ctx, "working folder not removed", "error", err)
		}
	}()
	path := filepath.Join(work.Path, "sound.wav")
	for n := range answers {
		a := &answers[n]
		key, ok := sounds[n]
		if !ok {
			continue
		}
		if err := p.fetchSound(ctx, key, path); err != nil {
			return transcript.Head{}, fmt.Errorf("fetch the sound of answer %d: %w", n+1, err)
		}
		a.Recognition, err = engine.Transcribe(ctx, speech.Sound{Path: path, Length: a.End - a.Start, Language: i.Language})
		if err != nil {
			return transcript.Head{}, withoutPath(fmt.Errorf("listen to answer %d: %w", n+1, err), work.Path)
		}
	}
	return engine.Head(i.Language), nil
}

// chooseEngine returns the engine that transcribes the interview. Recordings leave
// the machine only if the organization allows it.
func (p *Pipeline) chooseEngine(ctx context.Context, i *interviews.Interview) (speech.Engine, error) {
	why := "or set speech.url"
	if p.Server != nil {
		settings, err := access.ReadSettings(ctx, p.Store, i.OrganizationID)
		if err != nil {
			return nil, err
		}
		if settings.OffBoxSpeech {
			return p.Server, nil
		}
		why = "or let the organization's recordings be sent to the speech server (off_box_speech)"
	}
	local := p.tools.Load().Local
	if local == nil {
		return nil, step.Permanentf("there is no speech engine: install the packages pocketsphinx and pocketsphinx-en-us where syncd runs, %s", why)
	}
	return local, nil
}

func (p *Pipeline) fetchSound(ctx context.Context, key, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return step.Outage(err)
	}
	defer f.Close()
	if _, err := copyBlob(ctx, p.Blobs, key, f); err != nil {
		return err
	}
	return step.Outage(f.Close())
}

// dropSounds removes the sound files, which are no longer needed. Files that cannot
// be removed now are deleted with the media.
func (p *Pipeline) dropSounds(ctx context.Context, i *interviews.Interview) {
	if i.Media == nil {
		return
	}
	if err := p.Blobs.DeletePrefix(ctx, interviews.MediaPrefix(i.ID, i.Media.Version)+soundFolder); err != nil {
		p.Log.WarnContext(ctx, "sound files not removed", "interview_id", i.ID, "error", err)
	}
}

// makeSubtitles writes the captions of the spoken answers.
func (p *Pipeline) makeSubtitles(ctx context.Context, claim worker.Claim) (string, error) {
	i, err := interviews.Read(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	if i.Transcript == nil || i.Media == nil && !i.HasVTT { // captions outlive their recording, and its words may be corrected
		return "skipped", worker.Skip(ctx, p.Store, claim)
	}
	var t transcript.Transcript
	if err := json.Unmarshal(i.Transcript, &t); err != nil {
		return "", step.Permanentf("the transcript can't be read: %v", err)
	}
	var file strings.Builder
	if err := caption.Write(&file, &t); err != nil {
		return "", err
	}
	return "done", worker.FinishSubtitles(ctx, p.Store, claim, file.String())
}
