package clients_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Selectors name elements of a page: XPath where they begin with a slash or a
// bracket, and otherwise CSS. Of several elements the first that can be seen is
// meant. What is here waits for it.

// handJS is what the page is asked.
//
//go:embed hand.js
var handJS string

// inHand is an expression of a call in handJS.
func inHand(call string, args ...any) string {
	list := make([]string, 0, len(args))
	for _, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			panic(err) // of a test's own words
		}
		list = append(list, string(text))
	}
	return fmt.Sprintf("(%s).%s(%s)", strings.TrimSpace(handJS), call, strings.Join(list, ", "))
}

// again is how long a page is left alone before it is asked once more.
const again = 20 * time.Millisecond

// repeat calls try until it is done. It asks again when the browser cannot answer because a page is
// being replaced, and reports at the end what is lacking.
func repeat(ctx context.Context, what string, try func() (lacking string, err error)) error {
	ticker := time.NewTicker(again)
	defer ticker.Stop()
	var lacking string
	for {
		said, err := try()
		refused, left := errors.AsType[*cdproto.Error](err)
		switch {
		case err == nil && said == "":
			return nil
		case err == nil:
			lacking = said
		case left:
			lacking = refused.Message
		case ctx.Err() == nil:
			return fmt.Errorf("%s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %s: %w", what, lacking, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// once waits until the page says yes.
func once(selector, lacking, call string, want bool) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, selector, func() (string, error) {
			got, err := chromedp.Evaluate[bool](inHand(call, selector))(ctx, target)
			if err == nil && got != want {
				return lacking, nil
			}
			return "", err
		})
	})
}

// visible waits until it can be seen.
func visible(selector string) chromedp.Action[chromedp.Void] {
	return once(selector, "it is not seen", "seen", true)
}

// absent waits until there is none.
func absent(selector string) chromedp.Action[chromedp.Void] {
	return once(selector, "it is there", "present", false)
}

// reading is the text that people see of it.
func reading(selector string) chromedp.Action[string] {
	return func(ctx context.Context, target *chromedp.Target) (text string, err error) {
		err = repeat(ctx, selector, func() (string, error) {
			got, err := chromedp.Evaluate[*string](inHand("text", selector))(ctx, target)
			if err == nil && got == nil {
				return "it is not seen", nil
			}
			if err == nil {
				text = *got
			}
			return "", err
		})
		return text, err
	}
}

// aim is where to press, in pixels of the window.
type aim struct {
	X, Y, Width, Height float64
	Missing             string // why it cannot be pressed
}

// click presses it with the mouse: when it rests and nothing covers it, and again
// when the press has not come to it, because a page may change at any moment.
func click(selector string) chromedp.Action[chromedp.Void] {
	return pressUntilArrived(selector, func(ctx context.Context, target *chromedp.Target, at aim) error {
		_, err := chromedp.MouseClickXY(at.X, at.Y)(ctx, target)
		return err
	})
}

// touch presses it with a finger, as click does.
func touch(selector string) chromedp.Action[chromedp.Void] {
	// A browser makes a click of a touch when it is sure that no other gesture begins.
	return pressUntilArrived(selector, func(ctx context.Context, target *chromedp.Target, at aim) error {
		_, err := chromedp.TapXY(at.X, at.Y)(ctx, target)
		return err
	})
}

// underWay is how long a press may take to come. A press that is given up too early comes twice.
const underWay = 10 * time.Second

// pressUntilArrived presses until a press has come.
func pressUntilArrived(selector string, press func(context.Context, *chromedp.Target, aim) error) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, selector, func() (string, error) {
			at, err := chromedp.Evaluate[aim](inHand("aim", selector), chromedp.EvalAwaitPromise)(ctx, target)
			if err != nil || at.Missing != "" {
				return at.Missing, err
			}
			if err := press(ctx, target, at); err != nil {
				return "", err
			}
			return awaitArrival(ctx, target)
		})
	})
}

// awaitArrival waits until the press has come, or is given up. A page that was left for
// another by it answers no more.
func awaitArrival(ctx context.Context, target *chromedp.Target) (lacking string, err error) {
	deadline := time.Now().Add(underWay)
	err = repeat(ctx, "press", func() (string, error) {
		how, err := chromedp.Evaluate[string](inHand("pressed"))(ctx, target)
		_, left := errors.AsType[*cdproto.Error](err)
		switch {
		case left || err == nil && how == "came":
			return "", nil
		case err != nil:
			return "", err
		case how == "missed" || time.Now().After(deadline):
			lacking = "the press has not come to it"
			return "", nil
		}
		return "it is under way", nil
	})
	return lacking, err
}

// write replaces the text of a field by pressing keys, and does so again if the field has not
// accepted them.
func write(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, selector, func() (string, error) {
			lacking, err := chromedp.Evaluate[string](inHand("enter", selector))(ctx, target)
			if err != nil || lacking != "" {
				return lacking, err
			}
			if _, err := chromedp.KeyEvent(text)(ctx, target); err != nil {
				return "", err
			}
			got, err := chromedp.Evaluate[*string](inHand("written", selector))(ctx, target)
			if err == nil && got != nil && *got != text {
				return fmt.Sprintf("it holds %q", *got), nil
			}
			return "", err
		})
	})
}

// upload chooses the files in it.
func upload(selector string, files ...string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, selector, func() (string, error) {
			found, err := chromedp.Evaluate[*runtime.RemoteObject](inHand("node", selector))(ctx, target)
			if err != nil || found.ObjectID == "" {
				return "it is not there", err
			}
			_, err = cdp.Call(ctx, target, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, ObjectID: found.ObjectID})
			return "", err
		})
	})
}

// restless is a page whose buttons are covered at first, and then change their places
// for a while at every frame.
const restless = `<!doctype html><title>restless</title>
<div id="list"><button>wrong</button><br><button id="right">right</button></div>
<div id="cover" style="position: fixed; inset: 0"></div>
<script>
	const presses = globalThis.presses = { right: 0, wrong: 0, covered: 0 };
	document.querySelectorAll("button").forEach((b) => b.onclick = () => presses[b.innerText]++);
	const cover = document.querySelector("#cover"), list = document.querySelector("#list");
	cover.onclick = () => presses.covered++;
	let frames = 0;
	const turn = () => {
		if (++frames === 20) cover.remove();
		list.style.marginTop = frames % 2 * 22 + "px";
		if (frames < 60) requestAnimationFrame(turn);
	};
	turn();
</script>`

// TestHand: what is pressed on a page that does not rest is what was meant, once.
func TestHand(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, restless) }))
	t.Cleanup(server.Close)
	b := newTab(t)
	b.do(t, chromedp.Navigate(server.URL), click("#right"))
	want := map[string]int{"right": 1, "wrong": 0, "covered": 0}
	if got := ask(t, b, chromedp.Evaluate[map[string]int]("presses")); !maps.Equal(got, want) {
		t.Errorf("pressed %v, want %v", got, want)
	}
}
