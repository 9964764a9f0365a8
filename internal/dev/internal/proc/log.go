package proc

import (
	"bytes"
	"errors"
	"os"
	"sync"
)

const (
	// tailLines is how many lines a Failure shows.
	tailLines = 20
	// maxLine bounds a line of a log; a longer one is broken.
	maxLine = 64 << 10
	// maxLog is the size at which a log is renamed to NAME.log.1.
	maxLog = 16 << 20
)

// logFile writes the lines of a process to a file as they are, so that tools
// for logs can read them, and remembers the last of them.
type logFile struct {
	path   string
	follow func(line string) // nil if nobody follows

	mu      sync.Mutex
	file    *os.File
	size    int64
	partial []byte
	last    []string
}

func openLog(path string, follow func(line string)) (*logFile, error) {
	l := &logFile{path: path, follow: follow}
	return l, l.open()
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write implements io.Writer. It never fails: a full disk must not stop the
// process that logs.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		skip := 1
		if end < 0 {
			if len(l.partial) < maxLine {
				return len(p), nil
			}
			end, skip = maxLine, 0
		}
		l.writeLine(string(l.partial[:end]))
		l.partial = append(l.partial[:0], l.partial[end+skip:]...)
	}
}

func (l *logFile) writeLine(text string) {
	if len(l.last) == tailLines {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	l.last = append(l.last, text)
	if l.follow != nil {
		l.follow(text)
	}
	if l.size > maxLog {
		l.rotateFile()
	}
	n, _ := l.file.WriteString(text + "\n")
	l.size += int64(n)
}

// rotateFile renames the file and continues in a new one. If that is not possible,
// it continues in the old one.
func (l *logFile) rotateFile() {
	old := l.file
	if os.Rename(l.path, l.path+".1") != nil || l.open() != nil {
		l.size = 0
		return
	}
	_ = old.Close()
}

// lastLines returns the last lines.
func (l *logFile) lastLines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.last...)
}

// Close writes what is left of an unfinished line and closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.partial) > 0 {
		l.writeLine(string(l.partial))
		l.partial = nil
	}
	return l.file.Close()
}
