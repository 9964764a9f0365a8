package clients_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	lifecycle "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/storetest"
)

// devicesInHand lets a test stop the devices that a page uses, and refuse them.
const devicesInHand = `(() => {
	const given = [], ask = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices);
	if (!ask) return;
	globalThis.devices = {
		refused: false,
		lose: () => given.splice(0).forEach((stream) => stream.getTracks().forEach((track) => {
			track.stop();
			track.dispatchEvent(new Event("ended")); // as when it is unplugged
		})),
	};
	navigator.mediaDevices.getUserMedia = async (wanted) => {
		if (devices.refused) throw new DOMException("refused", "NotAllowedError");
		given.push(await ask(wanted));
		return given.at(-1);
	};
})()`

// journey is a trader at some step of an interview when something goes wrong, who looks for a way
// to continue.
type journey struct {
	*tab
	api  *api
	db   *store.DB
	step string // where the trader stands
	id   string // of the interview
	link string // its address
}

// startAt begins an interview of one question with one take, on camera only. With started, the
// trader has reached the list of questions.
func (s *journey) startAt(t *testing.T, step string, started, allowUnanswered bool) {
	t.Helper()
	body := oneQuestion()
	body["answer_modes"], body["allow_unanswered"] = []string{"video"}, allowUnanswered
	body["questions"].([]any)[0].(map[string]any)["max_takes"] = 1
	var link string
	s.id, link = s.api.invite(t, body)
	s.step, s.link = step, s.api.url+link
	if !started {
		s.do(t, chromedp.Navigate(s.link))
		s.heading(t, "Your interview")
		return
	}
	ctx := t.Context()
	begun, err := answering.BeginSession(ctx, s.db, path.Base(link), answering.Browser{})
	check(t, err)
	check(t, answering.DecideConsent(ctx, s.db, begun.Session, answering.NewConsent{Accepted: true, TextVersion: "1", Text: "text"}))
	check(t, answering.CheckDevice(ctx, s.db, begun.Session, interviews.Device{Outcome: interviews.DeviceOK}))
	_, err = answering.Start(ctx, s.db, begun.Session)
	check(t, err)
	s.do(t, chromedp.Navigate(s.link))
	s.press(t, "Continue")
	s.heading(t, "Your answers")
}

// findButton finds a button that can be pressed, by its text or its name.
func findButton(label string) string {
	return fmt.Sprintf(`//button[(normalize-space(.)=%[1]q or @aria-label=%[1]q) and not(@disabled)]`, label)
}

// expectWayOn checks that the page says something after what has happened, and shows a
// way on: a button, or, where that is empty, what it says. It is left to be taken.
func (s *journey) expectWayOn(t *testing.T, happened, says, way string) {
	t.Helper()
	s.sees(t, says)
	if way != "" {
		s.do(t, visible(findButton(way)))
	}
	shown := way
	if shown == "" {
		shown = "“" + says + "”"
	}
	t.Logf("%-20s | %-27s | %s", s.step, happened, shown)
}

// followWay presses a button that leads on.
func (s *journey) followWay(t *testing.T, way string) {
	t.Helper()
	s.do(t, click(findButton(way)))
}

// goesBack leaves the page, and comes back by the browser's own button. The browser
// may show the page as it was, without loading it.
func (s *journey) goesBack(t *testing.T) {
	t.Helper()
	s.do(t, chromedp.Navigate("about:blank"))
	ask(t, s.tab, chromedp.Evaluate[bool](`history.back(); true`))
}

// expectSurvival reloads the page, leaves it and comes back, loses the network, and opens a second
// tab. After each the page must explain what happened and how to continue.
func (s *journey) expectSurvival(t *testing.T, says, way string, oneTab bool) {
	t.Helper()
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", says, way)
	s.goesBack(t)
	s.expectWayOn(t, "back", says, way)
	s.cut(t, true)
	s.sees(t, "You are offline.")
	s.expectWayOn(t, "offline", says, way)
	s.cut(t, false)
	s.do(t, absent(`//*[contains(text(), "You are offline.")]`))
	second := s.another(t)
	second.do(t, chromedp.Navigate(s.link))
	if oneTab {
		second.heading(t, "The interview is open in another tab")
		second.press(t, "Continue in this tab")
		second.sees(t, says)
		second.do(t, visible(findButton(way)))
		s.expectWayOn(t, "second tab takes over", "The interview is open in another tab", "Continue in this tab")
		s.followWay(t, "Continue in this tab")
	} else {
		second.sees(t, says)
		second.do(t, visible(findButton(way)))
	}
	s.expectWayOn(t, "second tab", says, way)
}

// loseDevices stops the camera and the microphone, as when they are unplugged.
func (s *journey) loseDevices(t *testing.T) {
	t.Helper()
	ask(t, s.tab, chromedp.Evaluate[bool](`devices.lose(); true`))
}

// changeTimes changes the interview's times.
func (s *journey) changeTimes(t *testing.T, statement string) {
	t.Helper()
	_, err := storetest.Conn(t, s.api.database).Exec(t.Context(), statement, s.id)
	check(t, err)
}

// inviteOver ends the time to start.
const inviteOver = `WITH i AS (UPDATE interviews SET invite_expires_at = now() WHERE id = $1 RETURNING id)
UPDATE interview_invites AS v SET expires_at = now() FROM i WHERE v.interview_id = i.id`

// timeOver ends the time to answer.
const timeOver = `UPDATE interviews SET complete_by = now() WHERE id = $1`

// TestTraderCanAlwaysGoOn walks the states of each step of an interview, lets happen there what can
// happen, and checks that each leaves a way on. With -v it prints the table of them. It takes long
// because a browser visits every state of an interview.
func TestTraderCanAlwaysGoOn(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	s := &journey{tab: newTrader(t), api: &a, db: storetest.Open(t, a.database)}
	s.leaves(t) // also in the middle of a recording
	a.call(t, "PATCH", "/v1/organization", map[string]any{"contact": "risk@alpha.example"}, 200)
	ask(t, s.tab, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, lifecycle.AddScriptToEvaluateOnNewDocument, lifecycle.AddScriptToEvaluateOnNewDocumentParams{Source: devicesInHand})
		return chromedp.Void{}, err
	})
	s.beforeTheStart(t)
	s.inTheList(t)
	s.whileRecording(t)
	s.withoutDevices(t)
	s.handsIn(t)
	s.afterTheEnd(t)
}

func (s *journey) beforeTheStart(t *testing.T) {
	t.Helper()
	s.startAt(t, "landing", false, true)
	s.expectSurvival(t, "Your interview with", "Continue", false)
	s.followWay(t, "Continue")
	s.heading(t, "Do you agree?")
	s.step = "consent"
	s.expectSurvival(t, "Do you agree?", "I decline", true)
	s.do(t, click(`input[type="checkbox"]`))
	s.followWay(t, "I agree, continue")
	s.heading(t, "Check your devices")
	s.step = "devices"
	s.expectSurvival(t, "Check your devices", "Use my camera and microphone", true)
	s.followWay(t, "Use my camera and microphone")
	s.do(t, visible("#microphone"))
	s.step = "device check"
	s.loseDevices(t)
	s.expectWayOn(t, "devices lost", "has stopped. Reconnect it", "Use my camera and microphone")
	s.followWay(t, "Use my camera and microphone")
	s.followWay(t, "It works, continue")
	s.heading(t, "Practice question")
	s.step = "practice"
	s.loseDevices(t)
	s.followWay(t, "Record a practice answer")
	s.expectWayOn(t, "devices lost", "You can skip practice", "Skip practice")
	s.followWay(t, "Skip practice")
	s.heading(t, "Ready?")
	s.step = "ready"
	s.expectSurvival(t, "Ready?", "Start the interview", true)
	s.cut(t, true)
	s.followWay(t, "Start the interview")
	s.expectWayOn(t, "start while offline", "The server cannot be reached.", "Try again")
	s.cut(t, false)
	s.followWay(t, "Try again")
	s.expectWayOn(t, "tried again", "Ready?", "Start the interview")
	s.startAt(t, "landing", false, true)
	s.changeTimes(t, inviteOver)
	s.followWay(t, "Continue")
	s.expectWayOn(t, "time over", "For a new link, contact Alpha Capital (risk@alpha.example).", "")
	s.look(t, "90-time-to-start-over")
}

func (s *journey) inTheList(t *testing.T) {
	t.Helper()
	const answer = "Answer, question 1"
	s.startAt(t, "list", true, true)
	s.expectSurvival(t, "Your answers", answer, true)
	s.followWay(t, answer)
	s.step = "question"
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "Your answers", answer)
	s.followWay(t, answer)
	s.cut(t, true)
	s.expectWayOn(t, "offline", "You are offline.", "Show question")
	s.followWay(t, "Show question")
	s.cut(t, false)
	s.expectWayOn(t, "back online", "Time left to think", "Start answering now")
	s.step = "thinking"
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "Your answers", answer)
	s.followWay(t, answer)
	s.followWay(t, "Continue")
	s.sees(t, "Time left to think")
	s.loseDevices(t)
	s.expectWayOn(t, "devices lost", "Time left to think", "Start answering now")
	s.followWay(t, "Start answering now")
	s.do(t, visible(".on-air"))
	s.step = "recording, 3 s"
	s.records(t, 3)
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "That take doesn’t count", answer)
}

// counted is how many seconds a take is recorded that may use one up: longer than five seconds, all
// but the last three of which the page has stored, if it is not busy.
const counted = 9

// storedTake is how many milliseconds the page has stored of what it records of the interview with the id.
const storedTake = `new Promise((done) => {
	const opened = indexedDB.open("assay-interview");
	opened.onsuccess = () => {
		const takes = opened.result.transaction("takes").objectStore("takes").getAll();
		takes.onsuccess = () => {
			opened.result.close();
			done(Math.max(0, ...takes.result.filter((take) => take.interview === %q && !take.ended).map((take) => take.recordedMs)));
		};
	};
})`

// awaitStored waits until the page has stored so much that the take may use one up.
func (s *journey) awaitStored(t *testing.T) {
	t.Helper()
	s.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, "the take is stored", func() (string, error) {
			ms, err := chromedp.Evaluate[float64](fmt.Sprintf(storedTake, s.id), chromedp.EvalAwaitPromise)(ctx, target)
			if err == nil && ms < 5500 {
				return fmt.Sprintf("%v ms are stored", ms), nil
			}
			return "", err
		})
	}))
}

// recordAnswer records so many seconds of the answer.
func (s *journey) recordAnswer(t *testing.T, seconds int) {
	t.Helper()
	s.followWay(t, "Answer, question 1")
	s.do(t, click(`//button[normalize-space(.)="Show question" or normalize-space(.)="Continue"]`))
	s.do(t, click(`//button[starts-with(normalize-space(.), "Start answering")]`))
	s.records(t, seconds)
	if seconds >= counted {
		s.awaitStored(t)
	}
}

func (s *journey) whileRecording(t *testing.T) {
	t.Helper()
	s.startAt(t, "recording, only take", true, true)
	s.recordAnswer(t, counted)
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "That take doesn’t count, so you can answer the question again.", "Answer, question 1")
	s.look(t, "91-offered-again")
	s.recordAnswer(t, counted)
	s.goesBack(t)
	s.expectWayOn(t, "back, the second time", "That take has been used.", "Submit without an answer")
	s.look(t, "92-no-take-left")
	s.followWay(t, "Submit without an answer")
	s.expectWayOn(t, "submit without an answer", "Question 1 will be marked as unanswered.", "Yes, submit my answers")
	s.look(t, "93-unanswered")
	s.followWay(t, "Yes, submit my answers")
	s.heading(t, "Thank you")
	i := s.api.call(t, "GET", "/v1/interviews/"+s.id, nil, 200)
	if answer := i["answers"].([]any)[0].(map[string]any); answer["unanswered_at"] == nil || answer["status"] != "missing" {
		t.Errorf("the answer is %s", text(t, answer))
	}
	if told := text(t, i["integrity_events"]); strings.Count(told, `"kind":"take_broken_off"`) != 2 || !strings.Contains(told, `"kind":"question_unanswered"`) {
		t.Errorf("events %s", told)
	}
	reviewer := s.beside(t)
	s.api.signedIn(t, reviewer, "owner")
	reviewer.do(t, chromedp.Navigate(s.api.url+"/interviews/"+s.id))
	reviewer.sees(t, "1 unanswered")
	reviewer.sees(t, "Unanswered.")
	reviewer.lookAt(t, "93-unanswered-marked")

	s.startAt(t, "recording", true, true)
	s.recordAnswer(t, 3)
	s.loseDevices(t)
	s.expectWayOn(t, "devices lost", "The camera or microphone has stopped.", "Keep this recording")
	s.expectWayOn(t, "devices lost", "The camera or microphone has stopped.", "Record again")
	s.look(t, "94-devices-lost")
	s.followWay(t, "Record again")
	s.followWay(t, "Start answering")
	s.do(t, visible(".on-air"))

	s.startAt(t, "recording", true, false)
	s.recordAnswer(t, counted)
	second := s.another(t)
	second.do(t, chromedp.Navigate(s.link))
	second.press(t, "Continue in this tab")
	second.sees(t, "That take doesn’t count")
	second.do(t, visible(findButton("Answer, question 1")))
	s.expectWayOn(t, "second tab takes over", "The interview is open in another tab", "Continue in this tab")
	s.followWay(t, "Continue in this tab")
	s.expectWayOn(t, "taken back", "Your answers", "Answer, question 1")
	s.recordAnswer(t, counted)
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload, firm wants an answer", "requires an answer. Contact risk@alpha.example", "")
	s.look(t, "95-ask-the-firm")
	s.changeTimes(t, timeOver)
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "time over", "The time for this interview is over.", "")
	_, err := answering.CloseOverdue(t.Context(), s.db)
	check(t, err)
	s.expectWayOn(t, "time over, later", "ran out before you sent an answer. For help, contact Alpha Capital (risk@alpha.example)", "")
}

func (s *journey) withoutDevices(t *testing.T) {
	t.Helper()
	s.startAt(t, "question", true, true)
	ask(t, s.tab, chromedp.Evaluate[bool](`devices.refused = true`))
	s.followWay(t, "Answer, question 1")
	s.followWay(t, "Show question")
	s.expectWayOn(t, "devices refused", "Your browser blocked the camera or microphone.", "My devices don’t work")
	s.expectWayOn(t, "devices refused", "If that doesn’t help, contact risk@alpha.example.", "Show question")
	s.look(t, "96-devices-refused")
	s.followWay(t, "My devices don’t work")
	s.expectWayOn(t, "devices do not work", "You can submit anyway", "Submit without an answer")
}

func (s *journey) handsIn(t *testing.T) {
	t.Helper()
	uploads := func(blocked bool) {
		t.Helper()
		var p network.SetBlockedURLsParams
		if blocked {
			p.URLPatterns = []*network.BlockPattern{{URLPattern: "*://*:*/i/*/uploads*", Block: true}}
		}
		tell(t, s.tab, network.SetBlockedURLs, p)
	}
	s.startAt(t, "recording", true, true)
	s.recordAnswer(t, 3)
	s.cut(t, true)
	s.expectWayOn(t, "offline", "You are offline.", "Finish answer")
	s.followWay(t, "Finish answer")
	s.expectWayOn(t, "finished while offline", "Waiting for the connection", "")
	uploads(true)
	s.cut(t, false)
	s.step = "sending"
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload, no way to the server", "Waiting for the connection", "")
	uploads(false)
	s.expectWayOn(t, "the server is back", "Answered", "Submit")
	s.step = "review"
	s.expectSurvival(t, "Answered", "Submit", true)
	s.followWay(t, "Submit")
	s.expectWayOn(t, "submit", "You can’t change your answers after you submit", "Not yet")
	s.cut(t, true)
	s.followWay(t, "Yes, submit my answers")
	s.expectWayOn(t, "submit while offline", "You are offline.", "Yes, submit my answers")
	s.cut(t, false)
	s.step = "submitted"
	s.expectWayOn(t, "back online", "Thank you, your answers have been submitted", "")
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "Your answers have been submitted. A person at Alpha Capital will review them", "")
	s.look(t, "97-submitted")
}

func (s *journey) afterTheEnd(t *testing.T) {
	t.Helper()
	s.startAt(t, "declined", false, true)
	s.followWay(t, "Continue")
	s.followWay(t, "I decline")
	s.followWay(t, "Yes, decline")
	s.expectWayOn(t, "declined", "Contact: risk@alpha.example", "")
	s.do(t, chromedp.Reload())
	s.expectWayOn(t, "reload", "To answer another way, contact Alpha Capital (risk@alpha.example).", "")

	s.startAt(t, "replaced link", false, true)
	s.api.call(t, "POST", "/v1/interviews/"+s.id+"/reissue", nil, 200)
	s.followWay(t, "Continue")
	s.expectWayOn(t, "continue", "Use the latest link that Alpha Capital sent you.", "")

	s.startAt(t, "deleted", true, true)
	s.api.call(t, "DELETE", "/v1/interviews/"+s.id, nil, 204)
	s.followWay(t, "Answer, question 1")
	s.followWay(t, "Show question")
	s.expectWayOn(t, "show the question", "contact Alpha Capital", "")

	s.startAt(t, "list, time over", true, true)
	s.changeTimes(t, timeOver)
	s.followWay(t, "Answer, question 1")
	s.followWay(t, "Show question")
	s.expectWayOn(t, "show the question", "The time for this interview is over. Your answers are being submitted for you.", "")
	s.do(t, absent(`//*[@role="alert"]`))
	s.look(t, "98-time-over")
}
