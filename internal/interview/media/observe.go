package media

import (
	"math"
	"time"
)

// Thresholds of the observations. They are wide, because a wrong observation harms
// a trader, and a poor microphone or a dim room is no fault.
const (
	silence     = -60.0            // dBFS; a window below it counts as silent
	silentShare = 0.5              // of an answer
	dark        = 16.0             // mean brightness of 0 to 255
	darkFor     = 5 * time.Second  // without a break
	clipShare   = 0.001            // of an answer's samples
	clipWindow  = 20 * time.Second // an answer shorter than this needs as many clipped samples as one of this length
)

// Observation is something that the camera or the microphone shows. It does not
// prove an intent.
type Observation struct {
	Kind     string        // camera_dark, camera_lost, audio_silent, audio_clipping, microphone_lost
	Severity string        // info, medium
	At       time.Duration // from the answer's start
	Length   time.Duration
	Data     map[string]any // what was measured
}

// compareThresholds compares the measurements with the thresholds.
func (e *examined) compareThresholds(wantsVideo bool) []Observation {
	var all []Observation
	switch {
	case !e.audio:
		all = append(all, Observation{Kind: "microphone_lost", Severity: "medium", Length: e.length, Data: map[string]any{"reason": "the recording has no sound"}})
	default:
		all = append(all, e.observeSound()...)
	}
	switch {
	case !wantsVideo:
	case !e.video:
		all = append(all, Observation{Kind: "camera_lost", Severity: "medium", Length: e.length, Data: map[string]any{"reason": "the recording has no picture"}})
	default:
		all = append(all, e.observeLight()...)
	}
	return all
}

func (e *examined) observeSound() []Observation {
	l := e.levels
	measured := map[string]any{
		"mean_dbfs": roundThousandths(l.meanLevel()), "peak_dbfs": roundThousandths(toDecibel(float64(l.peak))),
		"silent_share": roundThousandths(shareOf(l.silent, l.samples)), "clipped_share": roundThousandths(shareOf(l.clipped, l.samples)),
	}
	var all []Observation
	if shareOf(l.silent, l.samples) > silentShare {
		all = append(all, Observation{Kind: "audio_silent", Severity: "medium", Length: e.length, Data: measured})
	}
	if shareOf(l.clipped, max(l.samples, int64(clipWindow.Seconds()*soundRate))) > clipShare {
		all = append(all, Observation{Kind: "audio_clipping", Severity: "info", Length: e.length, Data: measured})
	}
	return all
}

// observeLight finds the times in which the picture was dark.
func (e *examined) observeLight() []Observation {
	var all []Observation
	const step = time.Second / lightRate
	for i := 0; i < len(e.light); {
		if e.light[i].mean >= dark {
			i++
			continue
		}
		first, sum := i, 0.0
		for ; i < len(e.light) && e.light[i].mean < dark; i++ {
			sum += e.light[i].mean
		}
		at, end := e.light[first].at, min(e.light[i-1].at+step, max(e.length, e.light[i-1].at))
		if lasted := end - at; lasted >= darkFor {
			all = append(all, Observation{Kind: "camera_dark", Severity: "medium", At: at, Length: lasted, Data: map[string]any{"mean_luma": roundThousandths(sum / float64(i-first))}})
		}
	}
	return all
}

func shareOf(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func roundThousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
