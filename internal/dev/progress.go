package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Escape sequences of terminals.
const (
	eraseLine = "\r\x1b[2K"
	bold      = "\x1b[1m"
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	yellow    = "\x1b[33m"
	blue      = "\x1b[34m"
	plain     = "\x1b[0m"
)

// progress writes what a command does, a line for each step. On a terminal, steps
// share one line, which shows how long the current one takes.
type progress struct {
	w     io.Writer
	color bool
	width func() int // of the terminal in columns; 0 where there is none

	mu    sync.Mutex
	step  string // what the moving line shows; empty if there is none
	began time.Time
}

// newProgress returns the progress that is written to file. NO_COLOR turns colors
// off, and TERM=dumb the moving line too.
func newProgress(file *os.File, getenv func(string) string) *progress {
	width := func() int { return terminalWidth(file) }
	if getenv("TERM") == "dumb" {
		width = func() int { return 0 }
	}
	return &progress{w: file, width: width, color: width() > 0 && getenv("NO_COLOR") == ""}
}

// terminalWidth returns the columns of a terminal, or 0 if file is none.
func terminalWidth(file *os.File) int {
	const usual = 80 // for terminals that do not know theirs
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return usual
	}
	return int(size.Col)
}

// say writes a line that stays.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseStep()
	fmt.Fprintln(p.w, p.paint(blue, "==>")+" "+fmt.Sprintf(format, args...))
}

// move shows the next step. A warning stays, in a line of its own, and ends no step.
func (p *progress) move(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	warning := strings.HasPrefix(text, "warning: ")
	if !warning && p.width() == 0 {
		p.say("%s", text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if warning {
		step := p.step
		p.eraseStep()
		fmt.Fprintln(p.w, p.paint(yellow, "==> "+text))
		p.step = step
	} else {
		p.step, p.began = text, time.Now()
	}
	p.drawStep()
}

// end removes the moving line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseStep()
}

// tick draws the moving line each second, until ctx ends.
func (p *progress) tick(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			p.mu.Lock()
			p.drawStep()
			p.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (p *progress) eraseStep() {
	if p.step != "" {
		_, _ = io.WriteString(p.w, eraseLine) // nobody reads a terminal that is gone
		p.step = ""
	}
}

// drawStep draws the moving line. It is cut to the terminal's width, because a line
// that wraps cannot be erased.
func (p *progress) drawStep() {
	if p.step == "" {
		return
	}
	text := []rune(p.step)
	after := ""
	if took := time.Since(p.began).Truncate(time.Second); took >= 2*time.Second {
		after = fmt.Sprintf(" (%s)", took)
	}
	if room := max(0, p.width()-len("==> ")-len(after)-1); len(text) > room {
		text = text[:room]
	}
	_, _ = io.WriteString(p.w, eraseLine+p.paint(blue, "==>")+" "+string(text)+after)
}

// paint returns the text in a color where there are colors.
func (p *progress) paint(color, text string) string {
	if !p.color {
		return text
	}
	return color + text + plain
}
