package clients_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
)

// spoken is what the trader says again and again.
const spoken = "I hold my trades for about four hours. I never risk more than one percent. I trade gold and the euro."

// written is what the trader writes: true of the instruments, and not of the time.
const written = "I only trade gold. I hold my trades for about four hours. I only trade gold."

// uploadTrades uploads a file of trades to an interview.
func (a *api) uploadTrades(t *testing.T, id string) {
	t.Helper()
	a.uploadFile(t, "/v1/interviews/"+id+"/activity-file", "history.csv", goldTrades(80, 6*time.Hour), http.StatusCreated)
}

// goldTrades is a file of n trades in gold, one at each interval back from now, each of which lasted
// three minutes.
func goldTrades(n int, interval time.Duration) string {
	var file strings.Builder
	file.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
	for i := range n {
		at := time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(i+5) * interval)
		fmt.Fprintf(&file, "%d,XAUUSD,buy,0.50,%s,%s,4000.5,4001.5,%d.25\n", 1000+i, at.Format(time.DateTime), at.Add(3*time.Minute).Format(time.DateTime), i%7-3)
	}
	return file.String()
}

// uploadFile uploads a file, which must be answered with the status.
func (a *api) uploadFile(t *testing.T, path, name, content string, status int) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	check(t, err)
	_, err = io.WriteString(part, content)
	check(t, err)
	check(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+path, &body)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	if answer, err := io.ReadAll(res.Body); err != nil || res.StatusCode != status {
		t.Fatalf("upload of %s: %d %s, want %d", name, res.StatusCode, answer, status)
	}
}

// newTrader is a browser with a camera that shows a test picture and a microphone in which somebody
// speaks.
func newTrader(t *testing.T) *tab {
	t.Helper()
	return newTab(t,
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", mediatest.Speech(t, spoken)),
	)
}

// invite makes an interview and returns its id and the path of its link.
func (a *api) invite(t *testing.T, body map[string]any) (id, path string) {
	t.Helper()
	made := a.call(t, "POST", "/v1/interviews", body, 201)
	return made["interview"].(map[string]any)["id"].(string), strings.TrimPrefix(made["invite_url"].(string), a.url)
}

// What there is time for, in seconds: enough for looking at the page meanwhile, on
// a busy machine.
const (
	thinkSeconds  = 60
	answerSeconds = 120
)

// threeQuestions is an interview on camera, by voice or in writing.
func threeQuestions() map[string]any {
	question := func(prompt string) map[string]any {
		return map[string]any{"prompt": prompt, "topic": "holding_time", "think_seconds": thinkSeconds, "max_seconds": answerSeconds, "max_takes": 2}
	}
	return map[string]any{
		"trader": map[string]any{"full_name": "Zoe Miller", "email": "zoe@example.com"}, "auto_questions": 0, "answer_modes": []string{"video", "audio", "text"},
		"questions": []any{question("How long do you hold your trades?"), question("How much do you risk on one trade?"), question("Which instruments do you trade?")},
	}
}

// TestInterviewInBrowser runs an interview from its link to the shared report, with a camera, a
// network that is lost and a page that is reloaded. It takes long because a browser records
// answers, which last as long as they last.
func TestInterviewInBrowser(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	a.works(t, "SYNC")
	a.call(t, "PATCH", "/v1/organization", map[string]any{"contact": "risk@alpha.example", "lawful_basis": "Our contract with you, and your consent."}, 200)
	body := threeQuestions()
	body["questions"] = append(body["questions"].([]any), map[string]any{"prompt": "What else?", "topic": "instruments"})
	id, path := a.invite(t, body)
	a.uploadTrades(t, id)

	b.do(t, chromedp.Navigate(a.url+path))
	b.prepare(t)
	b.answers(t)
	b.handIn(t)
	b.forgive("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED")
	b.wantQuiet(t, a.url)
	b.do(t, chromedp.Reload())
	b.heading(t, "This link no longer works")
	b.look(t, "13-ended")

	a.processed(t, id)
	a.decide(t, id)
	a.watchShared(t, b, id)
}

// prepare goes from the landing to the start.
func (b *tab) prepare(t *testing.T) {
	t.Helper()
	b.heading(t, "Your interview with Alpha Capital")
	b.look(t, "01-landing")
	b.press(t, "Continue")
	b.heading(t, "Do you agree?")
	b.look(t, "02-consent")
	b.press(t, "I decline")
	b.look(t, "03-decline")
	b.press(t, "Back")
	b.do(t, click(`input[type="checkbox"]`))
	b.press(t, "I agree, continue")
	b.heading(t, "Check your devices")
	b.look(t, "04-devices")
	b.press(t, "I need another way to answer")
	b.look(t, "05-another-way")
	b.press(t, "Back")
	b.press(t, "Use my camera and microphone")
	b.do(t, visible(".preview video"))
	cover := func(covered bool) {
		ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(".preview video").srcObject.getVideoTracks()[0].enabled = %t`, !covered)))
	}
	cover(true)
	b.sees(t, "Your picture is dark.")
	cover(false)
	b.until(t, "the picture is bright again", `!document.body.innerText.includes("Your picture is dark.")`)
	b.do(t, visible("#microphone"))
	b.press(t, "Record a 5-second test")
	b.do(t, visible("video.loop"))
	b.look(t, "06-device-check")
	b.press(t, "It works, continue")
	b.heading(t, "Practice question")
	b.press(t, "Record a practice answer")
	b.look(t, "07-practice")
	b.press(t, "Stop")
	b.press(t, "Continue")
	b.heading(t, "Ready?")
	b.look(t, "08-ready")
	b.sees(t, "Please use one screen.")
	b.press(t, "Start the interview")
	b.heading(t, "Your answers")
	b.look(t, "09-list")
}

// answers records three answers: one without trouble, one while the network is lost, and one whose
// page is reloaded in the middle.
func (b *tab) answers(t *testing.T) {
	t.Helper()
	b.pick(t, 1)
	b.look(t, "10-before")
	b.press(t, "Show question")
	b.sees(t, "How long do you hold your trades?")
	b.look(t, "11-thinking")
	b.press(t, "Start answering now")
	b.records(t, 6)
	b.look(t, "12-recording")
	b.press(t, "Finish answer")

	b.heading(t, "Question 2 of 4")
	b.speak(t)
	b.records(t, 4)
	b.cut(t, true)
	b.sees(t, "You are offline.")
	b.records(t, 12)
	b.look(t, "12-offline")
	b.press(t, "Finish answer")
	b.heading(t, "Question 3 of 4")
	b.press(t, "Back to questions")
	b.sees(t, "Waiting for the connection")
	b.cut(t, false)
	b.answered(t, 2)

	b.pick(t, 3)
	b.speak(t)
	b.records(t, 12)
	asked := b.leaves(t)
	b.do(t, chromedp.Reload())
	if !asked.Load() {
		t.Error("the page lets itself be left in the middle of a recording without a question")
	}
	b.sees(t, "That take doesn’t count, so you can answer the question again.")
	b.look(t, "12-reloaded")
	b.pick(t, 3)
	b.sees(t, "You have 2 takes.")
	b.press(t, "Continue")
	b.do(t, click(`//button[starts-with(normalize-space(.), "Start answering")]`))
	b.finish(t, 6)

	b.heading(t, "Question 4 of 4")
	b.do(t, click(`input[value="text"]`))
	b.press(t, "Show question")
	b.do(t, write("#answer", written))
	b.press(t, "Save answer")
}

// pick goes from the list to a question.
func (b *tab) pick(t *testing.T, question int) {
	t.Helper()
	b.do(t, click(fmt.Sprintf(`//button[@aria-label="Answer, question %d"]`, question)))
}

// records waits until the recording is so many seconds long, by the page's clock.
func (b *tab) records(t *testing.T, seconds int) {
	t.Helper()
	b.do(t, visible(".on-air"))
	b.untilWithin(t, stepPatience+time.Duration(seconds)*time.Second, fmt.Sprintf("%d seconds are recorded", seconds),
		fmt.Sprintf(`document.querySelector(".countdown strong") && %s <= %d`, countdown, answerSeconds-seconds))
}

// handIn submits when all answers are there.
func (b *tab) handIn(t *testing.T) {
	t.Helper()
	b.heading(t, "Your answers")
	b.press(t, "Submit")
	b.sees(t, "You can’t change your answers after you submit")
	b.look(t, "12-submit")
	b.press(t, "Yes, submit my answers")
	b.heading(t, "Thank you, your answers have been submitted")
	b.look(t, "13-sent")
}

// processed waits until there is a report, and looks at what it was made of.
func (a *api) processed(t *testing.T, id string) {
	t.Helper()
	db, of, org := storetest.Open(t, a.database), uuid.MustParse(id), organization(t, a.database)
	var i map[string]any
	storetest.Within(t, pipelinePatience, "the interview is completed, and its subtitles are written", func() bool {
		head, err := interviews.ReadHead(t.Context(), db, org, of)
		check(t, err)
		if head.Status != interviews.Completed {
			return false
		}
		i = a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
		subtitles := i["pipeline"].(map[string]any)["subtitles"].(map[string]any)
		return steps.Status(subtitles["status"].(string)).IsOver()
	})
	told := text(t, i["integrity_events"])
	for _, kind := range []string{"page_reload", "network_offline", "heartbeat"} {
		if !strings.Contains(told, `"kind":"`+kind+`"`) {
			t.Errorf("no event says %s: %s", kind, told)
		}
	}
	if n := len(i["answers"].([]any)); n != 4 || strings.Contains(text(t, i["answers"]), "missing") {
		t.Errorf("answers %s", text(t, i["answers"]))
	}
	for name, step := range i["pipeline"].(map[string]any) {
		if step.(map[string]any)["status"] != "done" {
			t.Errorf("step %s: %s", name, text(t, step))
		}
	}
	verdicts := make(map[string]string)
	for _, each := range i["report"].(map[string]any)["claim_checks"].([]any) {
		claim := each.(map[string]any)
		if !strings.Contains(written, claim["quote"].(string)) {
			continue
		}
		verdicts[claim["topic"].(string)] = claim["verdict"].(string)
		if claim["verdict"] == "inconsistent" {
			// Every one of the trades lasted three minutes, and the reviewer is led to them.
			evidence := claim["evidence"].([]any)
			if claim["evidence_total"] != 80.0 || len(evidence) == 0 || evidence[0].(map[string]any)["type"] != "trade" || evidence[0].(map[string]any)["trade_id"] == "" {
				t.Errorf("evidence of %s: %s of %v", claim["quote"], text(t, evidence), claim["evidence_total"])
			}
		}
	}
	if verdicts["instruments"] != "consistent" || verdicts["holding_time"] != "inconsistent" {
		t.Errorf("verdicts on what was written: %v; %s", verdicts, text(t, i["report"]))
	}
}

// decide records a decision as a person does, and marks the trader as notified.
func (a *api) decide(t *testing.T, id string) {
	t.Helper()
	if i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200); i["decision"] != nil {
		t.Errorf("decided before anybody did: %s", text(t, i["decision"]))
	}
	a.call(t, "POST", "/v1/interviews/"+id+"/decision", map[string]any{"decision": "rejected", "reason": "Held for minutes, and not for hours."}, 200)
	i := a.call(t, "PATCH", "/v1/interviews/"+id+"/communication", map[string]any{"done": true}, 200)
	if i["decision"].(map[string]any)["value"] != "rejected" || len(i["decision_history"].([]any)) != 1 || !i["communication"].(map[string]any)["done"].(bool) {
		t.Errorf("decision %s, communication %s", text(t, i["decision_history"]), text(t, i["communication"]))
	}
}

// organization is the one with interviews.
func organization(t *testing.T, database string) (id uuid.UUID) {
	t.Helper()
	check(t, storetest.Conn(t, database).QueryRow(t.Context(), `SELECT organization_id FROM interviews LIMIT 1`).Scan(&id))
	return id
}

// watchShared looks at the shared report in another browser, plays it, and takes
// it back.
func (a *api) watchShared(t *testing.T, b *tab, id string) {
	t.Helper()
	shared := a.call(t, "POST", "/v1/interviews/"+id+"/share", map[string]any{"expires_hours": 1, "include_decision": true}, 201)["url"].(string)
	o := b.beside(t)
	o.do(t, chromedp.Navigate(shared))
	o.heading(t, "Interview with Zoe Miller")
	o.sees(t, "z•••@example.com")
	o.sees(t, "matches the data")
	o.sees(t, "differs from the data")
	o.sees(t, "I only trade gold.")
	o.sees(t, "Held for minutes, and not for hours.")
	o.do(t, click("button.chapter"))
	o.until(t, "the recording plays, with captions", `(() => {
		const video = document.querySelector("video"), track = video.textTracks[0];
		return video.currentTime > 1 && video.videoWidth === 640 && video.error === null && track?.mode === "showing" && (track.cues?.length ?? 0) > 0;
	})()`)
	length := ask(t, o, chromedp.Evaluate[float64](`document.querySelector("video").duration`))
	spoke := 0.0
	for _, answer := range a.sealed(t, id) {
		if answer["mode"] != "text" {
			spoke += answer["duration_ms"].(float64) / 1000
		}
	}
	if spoke < 18 || math.Abs(length-spoke) > 3 {
		t.Errorf("the recording has %v s, the answers %v s", length, spoke)
	}
	o.do(t, click(`(//nav//button)[3]`))
	o.until(t, "the recording jumps to the third answer", `document.querySelector("video").currentTime > 12 && document.querySelector(".chapter:not([aria-current=false])") !== null`)
	ask(t, o, chromedp.Evaluate[bool](`document.querySelector("video").pause(); true`))
	o.look(t, "20-shared")
	o.wantQuiet(t, a.url)
	a.call(t, "DELETE", "/v1/interviews/"+id+"/share", nil, 204)
	o.do(t, chromedp.Reload())
	o.heading(t, "This link no longer works")
	if status, _ := get(t, shared, ""); status != http.StatusGone {
		t.Errorf("the link that was taken back answers %d", status)
	}
	o.look(t, "21-revoked")
}
