package clients_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	lifecycle "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
)

// tell gives the browser a command that answers nothing.
func tell[P any](t *testing.T, b *tab, c cdp.Command[P, cdp.Empty], params P) {
	t.Helper()
	ask(t, b, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, c, params)
		return chromedp.Void{}, err
	})
}

// begin goes from the link to the list of questions, on camera.
func (b *tab) begin(t *testing.T, url string) {
	t.Helper()
	b.agree(t, url)
	b.press(t, "Use my camera and microphone")
	b.press(t, "It works, continue")
	b.press(t, "Skip practice")
	b.press(t, "Start the interview")
	b.heading(t, "Your answers")
}

// agree goes from the link to the devices.
func (b *tab) agree(t *testing.T, url string) {
	t.Helper()
	b.do(t, chromedp.Navigate(url))
	b.press(t, "Continue")
	b.do(t, click(`input[type="checkbox"]`))
	b.press(t, "I agree, continue")
}

// speak shows the question that was picked and begins to record.
func (b *tab) speak(t *testing.T) {
	t.Helper()
	b.press(t, "Show question")
	b.press(t, "Start answering now")
	b.do(t, visible(".on-air"))
}

// finish ends the answer when so many seconds were recorded.
func (b *tab) finish(t *testing.T, seconds int) {
	t.Helper()
	b.records(t, seconds)
	b.press(t, "Finish answer")
}

// submits hands the answers in.
func (b *tab) submits(t *testing.T) {
	t.Helper()
	b.press(t, "Submit")
	b.press(t, "Yes, submit my answers")
	b.heading(t, "Thank you, your answers have been submitted")
}

// answered waits until a question of the list is answered.
func (b *tab) answered(t *testing.T, question int) {
	t.Helper()
	b.do(t, visible(fmt.Sprintf(`(//li)[%d]//*[normalize-space(.)="Answered"]`, question)))
}

// becomes asks for an interview until it is as wanted: a few times a second, because
// a key may ask 600 times in a minute.
func (a *api) becomes(t *testing.T, id, what string, wanted func(interview map[string]any) bool) (interview map[string]any) {
	t.Helper()
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	storetest.Within(t, pipelinePatience, what, func() bool {
		<-tick.C
		interview = a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
		return wanted(interview)
	})
	return interview
}

// sealed are the answers of an interview that have arrived.
func (a *api) sealed(t *testing.T, id string) []map[string]any {
	t.Helper()
	return arrivedAnswers(a.call(t, "GET", "/v1/interviews/"+id, nil, 200))
}

func arrivedAnswers(interview map[string]any) (list []map[string]any) {
	for _, each := range interview["answers"].([]any) {
		if answer := each.(map[string]any); answer["status"] == "sealed" {
			list = append(list, answer)
		}
	}
	return list
}

// oneQuestion is an interview of a single question.
func oneQuestion() map[string]any {
	body := threeQuestions()
	body["questions"] = body["questions"].([]any)[:1]
	return body
}

// TestCameraRefused is somebody whose browser gives no camera, and who asks for more time and answers
// in writing. It takes long because a browser goes through a whole interview.
func TestCameraRefused(t *testing.T) {
	t.Parallel()
	b := newTab(t, chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("deny-permission-prompts", true))
	a := startAPI(t)
	id, path := a.invite(t, oneQuestion())
	b.agree(t, a.url+path)
	b.press(t, "Use my camera and microphone")
	b.sees(t, "Your browser blocked the camera or microphone.")
	b.look(t, "50-refused")
	b.press(t, "Microphone only")
	b.sees(t, "Your browser blocked the camera or microphone.")
	b.press(t, "I need another way to answer")
	b.do(t, click(`input[value="2"]`))
	b.press(t, "Send and continue")
	b.press(t, "Start the interview")
	b.sees(t, "Think for 2") // minutes, which is twice as long
	b.pick(t, 1)
	b.press(t, "Show question") // on camera, which is what was planned
	b.sees(t, "Your browser blocked the camera or microphone.")
	b.do(t, click(`input[value="text"]`))
	b.press(t, "Show question")
	b.do(t, write("#answer", "About four hours."))
	b.press(t, "Save answer")
	b.answered(t, 1)
	b.submits(t)
	b.wantQuiet(t, a.url)
	i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
	if i["status"] != "processing" || i["needs_accommodation"] == nil || len(a.sealed(t, id)) != 1 {
		t.Errorf("status %v, wish %s, answers %s", i["status"], text(t, i["needs_accommodation"]), text(t, i["answers"]))
	}
}

// tap touches the button with the text.
func (b *tab) tap(t *testing.T, label string) {
	t.Helper()
	button := fmt.Sprintf(`//button[(normalize-space(.)=%[1]q or @aria-label=%[1]q) and not(@disabled)]`, label)
	b.do(t, visible(button))
	if at := ask(t, b, chromedp.Evaluate[aim](inHand("place", button))); at.Width < 44 || at.Height < 44 {
		t.Errorf("%q is %v by %v px, too little for a thumb", label, at.Width, at.Height)
	}
	b.do(t, touch(button))
}

// TestSilentMicrophoneOnAPhone answers by voice on a phone whose microphone is silent. The page says
// so before and during recording, and the reviewer sees it. It takes long because a browser goes
// through a whole interview and records six seconds.
func TestSilentMicrophoneOnAPhone(t *testing.T) {
	t.Parallel()
	silence := filepath.Join(t.TempDir(), "silence.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "anullsrc=sample_rate=48000", "-t", "5", silence)
	b := newTab(t,
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-file-for-fake-audio-capture", silence),
		chromedp.Flag("touch-events", "enabled"),
	)
	a := startAPI(t)
	body := oneQuestion()
	body["answer_modes"] = []string{"audio"}
	id, path := a.invite(t, body)
	b.do(t, chromedp.EmulateViewport(360, 780, chromedp.EmulateMobile, chromedp.EmulateTouch), chromedp.Navigate(a.url+path))
	b.heading(t, "Your interview")
	if got := ask(t, b, chromedp.Evaluate[string](`[innerWidth, navigator.maxTouchPoints > 0, matchMedia("(pointer: coarse)").matches].join(" ")`)); got != "360 true true" {
		t.Fatalf("the page thinks of %s", got)
	}
	b.tap(t, "Continue")
	b.do(t, click(`input[type="checkbox"]`))
	b.tap(t, "I agree, continue")
	b.tap(t, "Use my microphone")
	b.sees(t, "Your microphone is silent.")
	b.screenshot(t, "60-silent-phone.png")
	b.tap(t, "It works, continue")
	b.tap(t, "Skip practice")
	b.tap(t, "Start the interview")
	b.tap(t, "Answer, question 1")
	b.tap(t, "Show question")
	b.tap(t, "Start answering now")
	b.records(t, 6)
	b.sees(t, "Your microphone is silent.")
	b.screenshot(t, "61-silent-recording-phone.png")
	b.do(t, chromedp.EmulateViewport(640, 320, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.until(t, "a phone held sideways shows the time that is left and the button", `[".countdown", ".countdown ~ .actions button"].every((selector) => {
		const place = document.querySelector(selector).getBoundingClientRect();
		return place.top >= 0 && place.bottom <= innerHeight;
	})`)
	b.screenshot(t, "62-recording-sideways.png")
	b.do(t, chromedp.EmulateViewport(360, 780, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.tap(t, "Finish answer")
	b.answered(t, 1)
	b.tap(t, "Submit")
	b.tap(t, "Yes, submit my answers")
	b.heading(t, "Thank you")
	b.wantQuiet(t, a.url)
	i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
	if told := text(t, i["integrity_events"]); !strings.Contains(told, `"kind":"audio_silent"`) || strings.Contains(told, "devtools_suspected") {
		t.Errorf("events %s", told)
	}
}

// leaves leaves the page when it asks for confirmation, and reports whether it has asked.
func (b *tab) leaves(t *testing.T) *atomic.Bool {
	t.Helper()
	asked := new(atomic.Bool)
	ctx := b.ctx()
	check(t, chromedp.Listen(ctx, func(event any) {
		if _, ok := event.(*lifecycle.EventJavascriptDialogOpening); !ok {
			return
		}
		asked.Store(true)
		go func() { // the listener must not wait for the browser
			_, _ = chromedp.Run(ctx, chromedp.Action[chromedp.Void](func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, target, lifecycle.HandleJavaScriptDialog, lifecycle.HandleJavaScriptDialogParams{Accept: true})
				return chromedp.Void{}, err
			}))
		}()
	}))
	return asked
}

// TestStorageFull records while the browser has no room: the take arrives whole, out of the page's
// memory. What the memory held is lost with the page, and the next one says so. It takes long because
// a browser records 15 seconds.
func TestStorageFull(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	body := threeQuestions()
	body["questions"] = body["questions"].([]any)[:2]
	id, path := a.invite(t, body)
	b.begin(t, a.url+path)
	tell(t, b, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: a.url, QuotaSize: new(200_000.0)})
	b.pick(t, 1)
	b.speak(t)
	b.sees(t, "This browser has no space to store your recordings.")
	b.look(t, "70-full")
	b.finish(t, 8)
	b.heading(t, "Question 2 of 2")
	i := a.becomes(t, id, "the answer arrives", func(i map[string]any) bool { return len(arrivedAnswers(i)) == 1 })
	if ms := arrivedAnswers(i)[0]["duration_ms"].(float64); ms < 7000 || ms > 1000*(answerSeconds+1) {
		t.Errorf("the answer lasts %v ms", ms)
	}

	b.speak(t)
	b.records(t, 7)
	asked := b.leaves(t)
	b.do(t, chromedp.Reload())
	if !asked.Load() {
		t.Error("the page lets itself be left without a question")
	}
	b.sees(t, "Your answer to question 2 was interrupted")
	b.answered(t, 1)
	b.wantQuiet(t, a.url)
}

// TestClosedLaptop freezes the page as a closed laptop does, while somebody thinks and while somebody
// speaks. Time continues meanwhile, and nothing that was recorded is lost. It takes long because the
// page sleeps 15 seconds, and records as many.
func TestClosedLaptop(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	body := oneQuestion()
	question := body["questions"].([]any)[0].(map[string]any)
	question["think_seconds"] = 8
	id, path := a.invite(t, body)
	b.begin(t, a.url+path)
	b.pick(t, 1)
	b.press(t, "Show question")
	b.sees(t, "Time left to think")
	freeze := func(long time.Duration) {
		tell(t, b, lifecycle.SetWebLifecycleState, lifecycle.SetWebLifecycleStateParams{State: "frozen"})
		<-time.After(long) // the time that is to pass is what is tested
		tell(t, b, lifecycle.SetWebLifecycleState, lifecycle.SetWebLifecycleStateParams{State: "active"})
	}
	freeze(9 * time.Second)
	// The time to think is over: the recording begins by itself.
	b.records(t, 2)
	freeze(6 * time.Second)
	b.finish(t, 7)
	b.answered(t, 1)
	if got := a.sealed(t, id); len(got) != 1 || got[0]["duration_ms"].(float64) < 5000 {
		t.Errorf("answers %s", text(t, got))
	}

	// Meanwhile somebody has deleted the interview.
	a.call(t, "DELETE", "/v1/interviews/"+id, nil, 204)
	b.do(t, click(`//button[@aria-label="Answer again, question 1"]`))
	b.press(t, "Continue")
	b.do(t, click(`//button[starts-with(normalize-space(.), "Start answering")]`))
	b.heading(t, "This link no longer works")
	b.look(t, "80-deleted")
	b.forgive("401", "404")
	b.wantQuiet(t, a.url)
}

// countdown is what is left of the time, in seconds.
const countdown = `(() => { const [m, s] = (document.querySelector(".countdown strong")?.textContent ?? "0:0").split(":"); return 60 * m + +s; })()`

// TestEarlierAnswerArrivesMeanwhile has an answer arrive while the next one is recorded: the clock
// continues from where it was. It takes long because a browser records two answers, the second for as
// long as the first takes to arrive.
func TestEarlierAnswerArrivesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	body := threeQuestions()
	body["questions"] = body["questions"].([]any)[:2]
	id, path := a.invite(t, body)
	b.begin(t, a.url+path)
	tell(t, b, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/i/*/uploads*", Block: true}}})
	b.pick(t, 1)
	b.speak(t)
	b.finish(t, 4)
	b.heading(t, "Question 2 of 2")
	b.speak(t)
	b.records(t, 5)
	if got := a.sealed(t, id); len(got) > 0 {
		t.Fatalf("the first answer has arrived before it could: %s", text(t, got))
	}
	tell(t, b, network.SetBlockedURLs, network.SetBlockedURLsParams{})
	last := answerSeconds
	storetest.Within(t, patience, "the first answer arrives", func() bool {
		left := ask(t, b, chromedp.Evaluate[int](countdown))
		if left == last {
			return false // the API is asked once a second, because it limits requests
		}
		if left > last {
			t.Errorf("the clock goes from %d s to %d s", last, left)
		}
		last = left
		return len(a.sealed(t, id)) == 1
	})
	b.records(t, answerSeconds-last+2)
	if left := ask(t, b, chromedp.Evaluate[int](countdown)); left >= last {
		t.Errorf("the clock went from %d s to %d s", last, left)
	}
	b.press(t, "Finish answer")
	b.answered(t, 2)
	b.forgive("ERR_BLOCKED_BY_CLIENT")
	b.wantQuiet(t, a.url)
}

// likeSafari leaves the browser no container but MP4.
const likeSafari = `(() => {
	const supported = MediaRecorder.isTypeSupported.bind(MediaRecorder);
	MediaRecorder.isTypeSupported = (type) => !type.includes("webm") && supported(type);
})()`

// TestRecordsMP4 records as Safari does. What is played of it is as long as the answer, with picture
// and sound. It takes long because a browser records six seconds, which then go through the pipeline.
func TestRecordsMP4(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	a.works(t, "SYNC")
	ask(t, b, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, lifecycle.AddScriptToEvaluateOnNewDocument, lifecycle.AddScriptToEvaluateOnNewDocumentParams{Source: likeSafari})
		return chromedp.Void{}, err
	})
	id, path := a.invite(t, oneQuestion())
	b.begin(t, a.url+path)
	b.pick(t, 1)
	b.speak(t)
	b.finish(t, 6)
	b.answered(t, 1)
	spoke := a.sealed(t, id)[0]["duration_ms"].(float64) / 1000
	b.submits(t)
	b.wantQuiet(t, a.url)

	i := a.becomes(t, id, "the recording can be played", func(i map[string]any) bool {
		return i["pipeline"].(map[string]any)["media"].(map[string]any)["status"] == "done"
	})
	for _, lost := range []string{"camera_lost", "microphone_lost", "upload_rewritten"} {
		if strings.Contains(text(t, i["integrity_events"]), lost) {
			t.Errorf("%s is noted: %s", lost, text(t, i["integrity_events"]))
		}
	}
	sources := a.call(t, "POST", "/v1/interviews/"+id+"/playback", nil, 200)["sources"].([]any)
	list := sources[0].(map[string]any)["url"].(string)
	found := mediatest.Probe(t, list, "-show_entries", "format=duration:stream=codec_type")
	length, err := strconv.ParseFloat(found[len(found)-1], 64)
	check(t, err)
	if math.Abs(length-spoke) > 1 || !slices.Contains(found, "video") || !slices.Contains(found, "audio") {
		t.Errorf("ffprobe finds %q, the answer lasted %v s", found, spoke)
	}
}
