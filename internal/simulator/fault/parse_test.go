package fault_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, fault string
		want              fault.Options
		fails             string
	}{
		{name: "name only", text: "slow", fault: "slow"},
		{
			name: "all options", text: "drip,endpoint=/trades,after=1,times=2,probability=0.5,every=3,delay=1.5s,size=2MiB,value=a,b=c", fault: "drip",
			want: fault.Options{Endpoint: "/trades", After: 1, Times: 2, Probability: 0.5, Every: 3, Delay: 1500 * time.Millisecond, Size: 2 << 20, Value: "a,b=c"},
		},
		{name: "bytes", text: "drip,size=77", fault: "drip", want: fault.Options{Size: 77}},
		{name: "no name", text: ",times=1", fails: "no name"},
		{name: "no value", text: "slow,times", fails: "no value"},
		{name: "unknown option", text: "slow,often=1", fails: "want endpoint, after"},
		{name: "bad number", text: "slow,times=x", fails: "option times"},
		{name: "size overflows", text: "slow,size=99999999999GiB", fails: "option size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name, got, err := fault.Parse(tt.text)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want one with %q", err, tt.fails)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || name != tt.fault || diff != "" {
				t.Errorf("name %q, error %v (-want +got):\n%s", name, err, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"slow", "drip,size=2MiB,delay=1s", "x,value=a,b", "status-429,endpoint=/a", "status-500,times=-1", ",", "a,=,", "a,size=-1GiB"} {
		f.Add(seed)
	}
	set := fault.NewSet(1, []string{"/a"}, fault.Status[int, int](), nil)
	f.Fuzz(func(t *testing.T, text string) {
		if name, o, err := fault.Parse(text); err == nil {
			if err := set.SetFault(name, o); err == nil {
				set.ClearFaults()
			} else if !utf8.ValidString(err.Error()) && utf8.ValidString(text) {
				t.Errorf("error is no text: %q", err)
			}
		}
	})
}
