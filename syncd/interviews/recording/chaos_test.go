package recording_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// TestChaosKilledInAPipeline kills the process that works on a recording, in each
// of its steps, at a moment that the run chooses.
func TestChaosKilledInAPipeline(t *testing.T) {
	mediatest.Need(t, "pocketsphinx_continuous")
	for step, name := range map[steps.Name]string{steps.Media: "media", steps.Transcript: "transcripts"} {
		t.Run(name, func(t *testing.T) {
			chaostest.Fault{Name: "kill -9 in " + name, Small: 1, Large: 20, Width: 2, Limit: 2*time.Second + time.Minute}.Each(t, func(t *testing.T, r *chaostest.Run) {
				b := setup(t)
				id := b.submitted(t, spoken(t, "I hold positions for two hours."))
				kill := b.begin(t)
				b.step(t, id, step, steps.Running, steps.Done)
				time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) // the moment is the run's choice; nothing depends on it
				kill()
				at := time.Now()
				before := b.tries(t, id, step)
				if before.Status != steps.Done {
					b.begin(t)
					storetest.Within(t, patience, "the step is begun again", func() bool {
						now := b.tries(t, id, step)
						return now.Status == steps.Done || now.Attempts > before.Attempts
					})
					r.TookOver(time.Since(at))
				} else {
					b.begin(t)
				}
				b.wantOnce(t, id, b.step(t, id, steps.Subtitles, steps.Done))
			})
		})
	}
}

// tries returns the state of a step, such as its number of tries.
func (b *pipeline) tries(t *testing.T, id uuid.UUID, name steps.Name) steps.Step {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	return i.Step(name)
}
