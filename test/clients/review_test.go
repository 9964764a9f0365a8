package clients_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// answered is what a trader has left for a question: words that are spoken, in
// the picture or without, or written.
type answered struct {
	mode  interviews.AnswerMode
	words string
}

// reviewable is an interview that the pipeline has made everything of: an answer on
// camera, one by voice and one in writing, held against a file of trades.
func (a *api) reviewable(t *testing.T, name string) (id string) {
	t.Helper()
	a.works(t, "SYNC")
	body := threeQuestions()
	body["trader"] = map[string]any{"full_name": name, "email": "zoe@example.com"}
	body["reference"], body["reason"] = "PO-2041", "payout_review"
	id, path := a.invite(t, body)
	a.uploadTrades(t, id)
	a.answer(t, id, strings.TrimPrefix(path, "/i/"), []answered{{interviews.AnswerVideo, spoken}, {interviews.AnswerAudio, "I never risk more than half a percent."}, {interviews.AnswerText, written}})
	a.awaitCompletion(t, id)
	return id
}

// awaitCompletion waits until the pipeline has made everything of an interview.
func (a *api) awaitCompletion(t *testing.T, id string) {
	t.Helper()
	db, org := storetest.Open(t, a.database), organization(t, a.database)
	storetest.Within(t, pipelinePatience, "the interview is completed", func() bool {
		i, err := interviews.ReadHead(t.Context(), db, org, uuid.MustParse(id))
		check(t, err)
		return i.Status == interviews.Completed
	})
}

// answer answers an interview as a trader's page does, and submits it. The page
// was hidden while the first answer was recorded.
func (a *api) answer(t *testing.T, id, token string, answers []answered) {
	t.Helper()
	db := storetest.Open(t, a.database)
	s, i := storetest.Started(t, db, invite.Made{Interview: interviews.Interview{ID: uuid.MustParse(id)}, Token: seal.NewSecret(token)})
	blobs, err := blob.Open(t.Context(), "file://"+filepath.Join(filepath.Dir(a.config), "blobs"))
	check(t, err)
	defer func() { check(t, blobs.Close()) }()
	for n, answer := range answers {
		question := i.Questions[n].ID
		if answer.mode == interviews.AnswerText {
			_, err := answering.SealWritten(t.Context(), db, s, question, answer.words)
			check(t, err)
			continue
		}
		recording := mediatest.Recording{Text: answer.words, Size: "640x480"}
		if answer.mode == interviews.AnswerAudio {
			recording.Pattern = "none"
		}
		content, err := os.ReadFile(mediatest.Make(t, recording))
		check(t, err)
		take, err := answering.BeginTake(t.Context(), db, s, answering.NewTake{QuestionID: question, Mode: answer.mode, MediaType: string(answer.mode) + "/webm;codecs=opus"})
		check(t, err)
		if n == 0 {
			// Two seconds of it have passed.
			_, err := storetest.Conn(t, a.database).Exec(t.Context(), `UPDATE interview_takes SET recorded_at = recorded_at - interval '2 seconds' WHERE id = $1`, take.ID)
			check(t, err)
			_, err = answering.AddEvents(t.Context(), db, s, []interviews.NewEvent{{
				ClientID: uuid.New(), Kind: "tab_hidden", Severity: "medium", QuestionID: &question, WallAt: &take.RecordedAt, DurationMS: new(int64(12_000)),
			}})
			check(t, err)
		}
		key := interviews.TakePrefix(s.InterviewID, take.ID) + "0"
		_, err = blobs.Put(t.Context(), key, strings.NewReader(string(content)))
		check(t, err)
		_, err = answering.AppendTake(t.Context(), db, s, take.ID, answering.TakePart{Bytes: int64(len(content)), Blob: key}, nil)
		check(t, err)
		sum := sha256.Sum256(content)
		_, err = answering.SealTake(t.Context(), db, s, take.ID, answering.Sealing{Bytes: int64(len(content)), SHA256: sum[:], DurationMS: 9000})
		check(t, err)
	}
	check(t, answering.Submit(t.Context(), db, s))
}

// until waits until an expression is true in the page.
func (b *tab) until(t *testing.T, what, expression string) {
	t.Helper()
	b.untilWithin(t, stepPatience, what, expression)
}

// untilWithin is until for what may take as long as limit.
func (b *tab) untilWithin(t *testing.T, limit time.Duration, what, expression string) {
	t.Helper()
	askFor(t, b, limit, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, what, func() (string, error) {
			ok, err := chromedp.Evaluate[bool]("!!("+expression+")")(ctx, target)
			thrown, threw := errors.AsType[*chromedp.ExceptionError](err)
			switch {
			case threw: // as of an element that is not there yet
				return thrown.Error(), nil
			case err == nil && !ok:
				return "not yet", nil
			}
			return "", err
		})
	}))
}

// follow clicks the link with the text.
func (b *tab) follow(t *testing.T, text string) {
	t.Helper()
	b.do(t, click(fmt.Sprintf(`//a[normalize-space(.)=%q]`, text)))
}

// TestReviewInBrowser reviews an interview: finds it, plays it, goes from a statement to its words
// and trades, decides, marks the trader as notified, shares and deletes. It takes long because it
// works in a browser from the list to the deletion.
func TestReviewInBrowser(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	id := a.reviewable(t, "Zoe Miller")
	a.call(t, "PUT", "/v1/decision-reasons", map[string]any{"reasons": []any{
		map[string]any{"decision": "approved", "text": "The words agree with the trades."},
		map[string]any{"decision": "rejected", "text": "The trades contradict the words."},
	}}, 200)
	b := newTab(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	a.signedIn(t, b, "owner")
	b.follow(t, "Interviews")
	b.heading(t, "Interviews")
	b.sees(t, "PO-2041")
	b.lookAt(t, "interviews")
	b.follow(t, "Overdue")
	b.sees(t, "No interviews match these filters")
	b.follow(t, "Awaiting review")
	b.sees(t, "is not a judgment of the trader")
	b.follow(t, "Zoe Miller")
	b.heading(t, "Zoe Miller")
	b.until(t, "no answer is marked as playing before anything plays", `document.querySelector(".chapter") && !document.querySelector(".chapter[aria-current=true]")`)

	b.plays(t)
	b.rests(t)
	b.lookAt(t, "review")
	for _, part := range []string{"Activity", "Details"} {
		b.tab(t, part)
		b.lookAt(t, "review-"+strings.ToLower(part))
	}
	b.playsOnPhone(t)
	b.fitsSmallLaptop(t)
	a.mentions(t, id)
	b.writeComments(t)
	b.decides(t)
	a.call(t, "POST", "/v1/interviews/"+id+"/decision", map[string]any{"decision": "needs_review"}, 200)
	b.sees(t, "This interview changed while you had it open.")
	b.sees(t, "decided: needs review.")
	b.look(t, "review-changed")
	b.press(t, "Dismiss")
	b.shares(t)
	b.follow(t, "Print view")
	b.heading(t, "Interview with Zoe Miller")
	b.sees(t, "The trades contradict the words.")
	b.sees(t, "I only trade gold.")
	b.lookAt(t, "review-print")
	b.follow(t, "Back")
	b.heading(t, "Zoe Miller")

	other := b.another(t)
	other.do(t, chromedp.Navigate(a.url+"/interviews/"+id))
	other.heading(t, "Zoe Miller")
	b.press(t, "Delete…")
	b.lookAt(t, "review-delete")
	b.fill(t, "Type “delete”", "delete")
	b.press(t, "Delete permanently")
	b.sees(t, "No interviews yet")
	b.lookAt(t, "interviews-empty")
	other.sees(t, "It was deleted while this page was open.")
	other.look(t, "review-gone")
	other.forgive("404")
	other.wantQuiet(t, a.url)
	b.wantQuiet(t, a.url)
}

// plays plays the recording with captions, which are not loaded before, and jumps by chapter and by
// passage.
func (b *tab) plays(t *testing.T) {
	t.Helper()
	b.do(t, visible("video[poster]"))
	b.mu.Lock()
	for _, address := range b.requests {
		if strings.Contains(address, "/hls") || strings.Contains(address, ".m3u8") || strings.Contains(address, ".m4s") {
			t.Errorf("%s is loaded before anybody plays it", address)
		}
	}
	b.mu.Unlock()
	b.lookAt(t, "review-unplayed")
	b.emulate(t, "forced-colors", "active")
	b.until(t, "marks and the current tab can be told apart in the reader's own colors", `(() => {
		const color = (what, part) => getComputedStyle(document.querySelector(what))[part];
		return color(".line .mark", "backgroundColor") !== color("body", "backgroundColor")
			&& color("[role=tab][aria-selected=true]", "borderBottomColor") !== color("[role=tab][aria-selected=false]", "borderBottomColor"); })()`)
	b.show(t, schemes[0])
	b.do(t, click(`//button[contains(normalize-space(.), "Play,")]`))
	b.until(t, "the recording plays, with captions", `(() => {
		const v = document.querySelector("video"), track = v.textTracks[0];
		return v.currentTime > 0.5 && v.error === null && track?.mode === "showing" && (track.cues?.length ?? 0) > 0; })()`)
	b.slowly(t)
	ask(t, b, chromedp.Evaluate[bool](`(() => {
		const at = document.querySelectorAll(".line .answer")[1].getBoundingClientRect();
		document.elementFromPoint(at.x + 0.75 * at.width, at.bottom - 2).dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1, clientX: at.x + 0.75 * at.width }));
		const v = document.querySelector("video"), line = document.querySelector(".line").getBoundingClientRect();
		globalThis.place = v.duration * (at.x + 0.75 * at.width - line.x) / line.width;
		return true; })()`))
	b.until(t, "the place of the timeline that was clicked plays", `Math.abs(document.querySelector("video").currentTime - place) < 2`)
	b.do(t, click(`(//nav[@aria-label="Answers in the recording"]//button)[2]`))
	b.until(t, "the second answer plays", `document.querySelectorAll(".chapter")[1].getAttribute("aria-current") === "true"`)
	b.tab(t, "Transcript")
	b.until(t, "the transcript follows", `document.querySelector("li.playing") !== null`)
	b.playsByWord(t)
	b.do(t, write(`input[aria-label="Search the transcript"]`, "gold"))
	b.sees(t, "passages match.")
	b.until(t, "what was found is marked", `[...document.querySelectorAll("mark")].every((m) => m.textContent.toLowerCase() === "gold") && document.querySelector("mark") !== null`)
	ask(t, b, chromedp.Evaluate[bool](`document.querySelector(".chapter").focus(); true`))
	before := ask(t, b, chromedp.Evaluate[bool](`document.querySelector("video").paused`))
	b.do(t, write(".chapter", "k"))
	b.until(t, "the key plays and pauses", fmt.Sprintf(`document.querySelector("video").paused !== %v`, before))
	ask(t, b, chromedp.Evaluate[bool](`document.querySelector("video").pause(); true`))
}

// playsByWord plays from a word of the transcript on a click, and goes to the one before by a key.
func (b *tab) playsByWord(t *testing.T) {
	t.Helper()
	word := ask(t, b, chromedp.Evaluate[struct {
		X, Y         float64
		Text, Before string
	}](`(() => {
		const passage = document.querySelector(".box .playable");
		passage.scrollIntoView({ block: "center" });
		const [before, text] = passage.textContent.trim().split(/\s+/).slice(-2);
		const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT), range = document.createRange();
		let last;
		while (walker.nextNode()) if (walker.currentNode.data.includes(text)) last = walker.currentNode;
		range.setStart(last, last.data.lastIndexOf(text));
		range.setEnd(last, last.data.lastIndexOf(text) + text.length);
		const r = range.getBoundingClientRect();
		return { x: r.x + r.width / 2, y: r.y + r.height / 2, text, before }; })()`))
	b.do(t, chromedp.MouseClickXY(word.X, word.Y))
	b.until(t, "the word that was clicked is said", fmt.Sprintf(`document.querySelector(".said")?.textContent === %q`, word.Text))
	b.look(t, "transcript-word")
	ask(t, b, chromedp.Evaluate[bool](`document.querySelector(".box .playable").closest("li").querySelector(".time").focus(); true`))
	b.do(t, chromedp.KeyEvent(kb.ArrowLeft))
	b.until(t, "the word before it is said", fmt.Sprintf(`document.querySelector(".said")?.textContent === %q`, word.Before))
}

// slowly lets the recording play slowly, so that what is looked at is not over.
func (b *tab) slowly(t *testing.T) {
	t.Helper()
	ask(t, b, chromedp.Evaluate[float64](`document.querySelector("video").playbackRate = 0.1`))
}

// rests goes from a claim to its words and its trades, and from a finding to what
// was observed.
func (b *tab) rests(t *testing.T) {
	t.Helper()
	b.tab(t, "Report")
	claim := `//li[contains(@class, "inconsistent") and contains(., "The trader holds positions for about 4 hours.")]`
	b.do(t, click(claim+`//button[.="written"]`))
	b.until(t, "the words are shown", `document.querySelector("li.asked")?.textContent.includes("four hours")`)
	b.tab(t, "Report")
	b.steps(t)
	b.do(t, click(claim+`//summary`), visible(claim+`//th[.="XAUUSD"]`))
	rows := ask(t, b, chromedp.Evaluate[int](`[...document.querySelectorAll("li.inconsistent tbody tr")].length`))
	if rows == 0 {
		t.Error("no trades are shown")
	}
	const confirm = `//button[starts-with(normalize-space(.), "Confirm quote")]`
	b.do(t, absent(claim+confirm)) // what was written cannot be misheard
	b.do(t, click(`//li[contains(@class, "statement")]`+confirm), visible(`//li[contains(@class, "statement")]//p[contains(., "Quote confirmed")]`))
	b.slowly(t)
	b.openDetails(t, "Page hidden")
	b.do(t, click(`//details//button[starts-with(normalize-space(.), "Page hidden")]`))
	b.sees(t, "Observations are not proof of intent")
	b.until(t, "the observation is shown, and its place played", `document.querySelector("tr.chosen")?.textContent.includes("Page hidden") && Math.abs(document.querySelector("video").currentTime - 2) < 1.5`)
	b.lookAt(t, "review-observations")
	b.tab(t, "Report")
}

// openDetails opens the details with the summary. It clicks again if the page moved under the first
// click, as it does when an answer of the server arrives just then.
func (b *tab) openDetails(t *testing.T, summary string) {
	t.Helper()
	path := fmt.Sprintf(`//summary[contains(., %q)]`, summary)
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, summary, func() (string, error) {
			open, err := chromedp.Evaluate[bool](fmt.Sprintf(`!!document.evaluate(%q, document).iterateNext()?.parentElement.open`, path))(ctx, target)
			if err == nil && !open {
				_, err = click(path)(ctx, target)
				return "it is not open", err
			}
			return "", err
		})
	}))
}

// steps goes from statement to statement by a key, and plays one, which moves neither
// the report nor the player out of view.
func (b *tab) steps(t *testing.T) {
	t.Helper()
	b.do(t, chromedp.KeyEvent("?"), visible(`dialog[open]`))
	b.look(t, "review-shortcuts")
	b.do(t, click(`//dialog//button[@aria-label="Close"]`), absent(`dialog[open]`), chromedp.KeyEvent("n"))
	b.do(t, chromedp.KeyEvent("n")) // the first one was looked at when it was shown
	b.until(t, "the third statement is looked at", `document.activeElement.closest("li.current")?.id === "statement-2"`)
	b.do(t, chromedp.KeyEvent("p"))
	b.until(t, "the second statement is looked at", `document.activeElement.closest("li.current")?.id === "statement-1"`)
	ask(t, b, chromedp.Evaluate[bool](`addEventListener("click", () => { globalThis.place = scrollY; }, true), true`))
	b.do(t, click(`li:has(> .said > button[aria-label^="Play at 0:02"]) button.moment`))
	b.until(t, "the statement plays", `document.querySelector("video").currentTime >= 2.5`)
	b.slowly(t)
	if moved := ask(t, b, chromedp.Evaluate[float64](`scrollY - place`)); moved != 0 {
		t.Errorf("playing a statement scrolls the page by %v px", moved)
	}
	const inView = `["video", "section[aria-labelledby=decision]"].every((s) => {
		const r = document.querySelector(s).getBoundingClientRect();
		return r.top >= 0 && r.top < innerHeight - 100; })`
	b.until(t, "player and decision stay in view", `(scrollTo(0, document.body.scrollHeight), `+inView+`)`)
}

// playsOnPhone plays a statement where the page is narrow: the statement and the player stay in view.
func (b *tab) playsOnPhone(t *testing.T) {
	t.Helper()
	b.tab(t, "Report")
	b.do(t, chromedp.EmulateViewport(360, 740))
	const play = `li:has(> .said > button[aria-label^="Play at 0:02"]) button.moment`
	b.do(t, visible(play))
	ask(t, b, chromedp.Evaluate[bool](`document.querySelector("video").currentTime = 0; document.querySelector(`+"`"+play+"`"+`).scrollIntoView({ block: "start" }); true`))
	b.do(t, click(play))
	b.until(t, "the statement plays", `document.querySelector("video").currentTime >= 2`)
	b.slowly(t)
	b.until(t, "the statement and the player are in view", `(() => {
		const s = document.querySelector(`+"`"+play+"`"+`).getBoundingClientRect(), v = document.querySelector("video").getBoundingClientRect();
		return v.top >= 0 && v.bottom < s.top && s.bottom < innerHeight; })()`)
	b.screenshot(t, "review-phone-playing.png")
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// fitsSmallLaptop opens the interview in the window of a browser on a screen of 1,366 × 768: the summary and
// the button that saves the decision are in view, and at the end of the page the button still is.
func (b *tab) fitsSmallLaptop(t *testing.T) {
	t.Helper()
	b.sees(t, "Version 2 of the report is ready.") // with the quote that was confirmed
	b.press(t, "Dismiss")
	b.do(t, chromedp.EmulateViewport(1366, 650))
	b.awaitPaint(t)
	const save = `"section[aria-labelledby=decision] button[type=submit]"`
	inView := func(what string) string {
		return `((e) => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })(document.querySelector(` + what + `))`
	}
	b.screenshot(t, "review-small-laptop.png")
	b.until(t, "summary and button are in view", `(scrollTo(0, 0), `+inView(`"section.summary"`)+` && `+inView(save)+`)`)
	b.until(t, "the button is in view at the end of the page", `(scrollTo(0, document.body.scrollHeight), `+inView(save)+`)`)
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// mentions mentions everybody in a comment on an interview.
func (a *api) mentions(t *testing.T, id string) {
	t.Helper()
	var ids []any
	for _, user := range a.call(t, "GET", "/v1/users", nil, 200)["data"].([]any) {
		ids = append(ids, user.(map[string]any)["id"])
	}
	a.call(t, "POST", "/v1/interviews/"+id+"/comments", map[string]any{"body": "Listen to this twice.", "at_ms": 4000, "mentions": ids}, 201)
}

// writeComments answers a comment that mentions the reader by another, which mentions a colleague at the
// moment that is played, edits it and deletes it.
func (b *tab) writeComments(t *testing.T) {
	t.Helper()
	b.sees(t, "mentioned you.")
	b.look(t, "review-mentioned")
	b.press(t, "Show comment")
	b.do(t, visible(`li.chosen`))
	ask(t, b, chromedp.Evaluate[bool](`document.querySelector("video").pause(); document.querySelector(".chapter").focus(); true`))
	b.do(t, chromedp.KeyEvent("c"))
	b.until(t, "the comment can be written", `document.activeElement.tagName === "TEXTAREA"`)
	b.do(t, chromedp.KeyEvent("Look here, @zo"))
	b.do(t, click(`//div[@aria-label="People to mention"]/button`))
	b.press(t, "Add comment")
	b.do(t, visible(`//strong[@class and contains(., "@")]`))
	b.until(t, "both comments are on the timeline, and no mention waits", `document.querySelectorAll(".mark.comment").length === 2 && !document.body.textContent.includes("mentioned you")`)
	b.lookAt(t, "review-comments")
	b.do(t, click(`//ol[@aria-label="Comments"]//button[.="Edit"]`))
	b.fill(t, "Edit comment", "Look twice.")
	b.press(t, "Save comment")
	b.sees(t, "Look twice.")
	b.until(t, "it says that it was edited", `document.querySelector("ol[aria-label=Comments]").textContent.includes(", edited")`)
	b.do(t, click(`//ol[@aria-label="Comments"]//button[.="Delete"]`))
	b.press(t, "Delete comment")
	b.until(t, "the comment is gone", `document.querySelectorAll(".mark.comment").length === 1`)
	b.tab(t, "Report")
}

// TestCorrectWordsInBrowser corrects what was recognized, by keyboard alone, and finds the new words as
// a person's in the transcript, in the statements, on paper and on the shared page. It takes long
// because a recording goes through the whole pipeline first.
func TestCorrectWordsInBrowser(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	id := a.reviewable(t, "Zoe Miller")
	b := newTab(t)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/interviews/"+id+"?tab=transcript"))
	b.heading(t, "Zoe Miller")
	const correct, words = `(//button[.="Correct"])[1]`, `.box textarea`
	b.do(t, click(correct), visible(words))
	b.until(t, "the words are selected", `document.activeElement.tagName === "TEXTAREA" && document.activeElement.selectionEnd > 0`)
	b.lookAt(t, "transcript-correct")
	b.do(t, chromedp.KeyEvent(kb.Escape), absent(words))
	b.until(t, "the button has the focus again", `document.activeElement.textContent === "Correct"`)
	if ask(t, b, chromedp.Evaluate[bool](`document.body.textContent.includes("corrected by")`)) {
		t.Error("Escape has saved something")
	}
	b.do(t, chromedp.KeyEvent(kb.Enter), visible(words))
	b.until(t, "the passage was read", `!document.querySelector(".box textarea").form.querySelector("button[type=submit]").disabled`)
	b.do(t, chromedp.KeyEvent("I hold every position for nine days."))
	b.do(t, chromedp.KeyEvent(kb.Enter), absent(words))
	b.sees(t, "I hold every position for nine days.")
	b.sees(t, "corrected by")

	b.do(t, write(`input[aria-label="Search the transcript"]`, "nine days"))
	b.until(t, "what was found is on the timeline", `document.querySelectorAll(".mark.hit").length === 1`)
	b.lookAt(t, "transcript-corrected")
	b.do(t, click(`//button[starts-with(@aria-label, "Correct the words")]`))
	b.sees(t, "Recognized")
	b.look(t, "transcript-history")
	b.do(t, chromedp.KeyEvent(kb.Escape))

	b.tab(t, "Report")
	b.do(t, visible(`//li[contains(., "for nine days") and contains(., "words corrected by a reviewer")]`))
	b.look(t, "report-corrected")
	b.follow(t, "Print view")
	b.sees(t, "(corrected by")
	link := a.call(t, "POST", "/v1/interviews/"+id+"/share", map[string]any{}, 201)["url"].(string)
	reader := b.beside(t)
	reader.do(t, chromedp.Navigate(link))
	reader.heading(t, "Interview with Zoe Miller")
	reader.sees(t, "I hold every position for nine days.")
	reader.sees(t, "corrected by a reviewer")
	reader.look(t, "share-corrected")
	b.wantQuiet(t, a.url)
}

// tab opens the part of the page with the name.
func (b *tab) tab(t *testing.T, name string) {
	t.Helper()
	b.do(t, click(fmt.Sprintf(`//button[@role="tab" and starts-with(normalize-space(.), %q)]`, name)))
}

// decides rejects, which needs a reason, and then approves; the history keeps both.
func (b *tab) decides(t *testing.T) {
	t.Helper()
	b.do(t, click(`input[value="rejected"]`))
	b.press(t, "Save decision")
	b.sees(t, "Enter a reason.")
	b.fill(t, "Reason", "Five of them.")
	ask(t, b, chromedp.Evaluate[bool](`(() => {
		const reasons = document.querySelector("section[aria-labelledby=decision] select");
		reasons.selectedIndex = 1; // of those that fit a rejection, below what the list is called
		return reasons.dispatchEvent(new Event("change", { bubbles: true })); })()`))
	b.until(t, "the reason stands behind what was written", `document.querySelector("section[aria-labelledby=decision] textarea").value === "Five of them.\nThe trades contradict the words."`)
	b.press(t, "Save decision")
	b.press(t, "Change decision")
	b.do(t, click(`input[value="approved"]`))
	b.press(t, "Save decision")
	b.do(t, click(`//summary[.="History (2)"]`))
	b.sees(t, "The trades contradict the words.")
	b.press(t, "Mark trader as notified")
	b.sees(t, "Trader notified of the outcome")
	b.look(t, "review-decided")
}

// shares creates a link, which is shown once, and revokes it.
func (b *tab) shares(t *testing.T) {
	t.Helper()
	b.press(t, "Share…")
	b.press(t, "Create link")
	link := b.secret(t)
	b.look(t, "review-shared")
	b.press(t, "Done")
	reader := b.beside(t)
	reader.do(t, chromedp.Navigate(link))
	reader.heading(t, "Interview with Zoe Miller")
	b.press(t, "Revoke link")
	b.sees(t, "The last link no longer works. It was opened 1 time.")
	reader.do(t, chromedp.Reload())
	reader.heading(t, "This link no longer works")
	reader.lookAt(t, "share-gone")
}

// TestMakeInterviewInBrowser creates an interview with somebody from the directory, and one with
// somebody new and custom questions. What the server refuses is shown at its field, and the link is
// shown once. It takes long because it reads a platform, and checks pages with axe in light and in
// dark.
func TestMakeInterviewInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.sync(t)
	known := a.call(t, "GET", "/v1/traders?limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	a.signedIn(t, b, "reviewer")
	b.do(t, chromedp.Navigate(a.url+"/interviews/new?trader="+known["id"].(string)))
	b.sees(t, known["full_name"].(string))
	b.fill(t, "Time zone", "Mars/Phobos")
	b.press(t, "Create interview")
	b.sees(t, "Must be an IANA time zone")
	b.lookAt(t, "interview-refused")
	b.forgive("422")
	b.fill(t, "Time zone", "Europe/Berlin")
	b.press(t, "Create interview")
	b.heading(t, "Interview created")
	link := b.secret(t)
	b.lookAt(t, "interview-made")
	b.follow(t, "Open interview")
	b.heading(t, known["full_name"].(string))
	b.sees(t, "hasn’t been opened yet")
	b.lookAt(t, "interview-invited")

	trader := b.beside(t)
	trader.do(t, chromedp.Navigate(link))
	trader.heading(t, "Your interview with Alpha Capital")
	b.sees(t, "and has been opened")
	b.press(t, "Replace link")
	b.press(t, "Create link")
	b.secret(t)
	b.press(t, "Done")
	trader.do(t, chromedp.Reload())
	trader.heading(t, "This link no longer works")

	b.do(t, chromedp.Navigate(a.url+"/interviews/new"))
	b.press(t, "Create interview")
	b.sees(t, "Choose a trader.")
	b.fill(t, "Search the directory", "nobody-like-this")
	b.press(t, "Add a new trader")
	b.fill(t, "Full name", "شيماء <b>Miller</b>")
	b.do(t, click(`//label[normalize-space(.)="Custom"]/input`))
	b.fill(t, "Question 1", "Why gold?")
	b.press(t, "Add question")
	b.fill(t, "Question 2", "Why not silver?")
	b.do(t, click(`button[aria-label="Move question 2 up"]`))
	b.lookAt(t, "interview-own-questions")
	b.press(t, "Create interview")
	b.heading(t, "Interview created")
	made := a.call(t, "GET", "/v1/interviews?limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	questions := made["questions"].([]any)
	if prompts := []any{questions[0].(map[string]any)["prompt"], questions[1].(map[string]any)["prompt"]}; fmt.Sprint(prompts) != "[Why not silver? Why gold?]" {
		t.Errorf("asked %v", prompts)
	}
	b.follow(t, "Open interview")
	b.heading(t, "شيماء <b>Miller</b>")
	b.wantQuiet(t, a.url)
}
