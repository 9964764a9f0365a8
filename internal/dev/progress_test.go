package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		width int
		color bool
		want  string
	}{
		{
			name: "no terminal",
			want: "==> building\n==> warning: no speech\n==> starting Postgres\n==> stopping\n",
		},
		{
			name: "a terminal without colors", width: 18,
			want: "~==> building~==> building (2s)~==> building (3s)~==> warning: no speech\n~==> building (3s)~==> starting Post~==> stopping\n",
		},
		{
			name: "a terminal", width: 80, color: true,
			want: "~<blue>==><> building~<blue>==><> building (2s)~<blue>==><> building (3s)~<yellow>==> warning: no speech<>\n" +
				"~<blue>==><> building (3s)~<blue>==><> starting Postgres~<blue>==><> stopping\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				p := &progress{w: &out, width: func() int { return tt.width }, color: tt.color}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p.move("building")
				p.began = p.began.Add(-time.Second)
				go p.tick(ctx)
				time.Sleep(2500 * time.Millisecond)
				p.move("warning: no %s", "speech")
				p.move("starting %s", "Postgres")
				p.say("stopping")
				p.end() // there is no moving line to remove
				got := strings.NewReplacer(eraseLine, "~", blue, "<blue>", yellow, "<yellow>", plain, "<>").Replace(out.String())
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestProgressOfFile: what is no terminal gets whole lines without colors.
func TestProgressOfFile(t *testing.T) {
	t.Parallel()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := newProgress(file, func(string) string { return "" })
	p.move("building")
	p.end()
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != "==> building\n" {
		t.Errorf("output %q, %v", text, err)
	}
}
