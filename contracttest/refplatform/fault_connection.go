package refplatform

import (
	"net"
	"net/http"
	"slices"
	"time"
)

// connectionFaults delay, cut or trickle the response. A client that goes away
// ends every wait.
func connectionFaults() []fault {
	return slices.Concat([]fault{clockSkew()}, silenceFaults(), transferFaults())
}

// clockSkew shifts what the platform tells and understands of the time.
func clockSkew() fault {
	return fault{
		name: "clock-skew", description: "runs on a clock that is wrong by delay=DURATION (an hour ahead by default, negative is behind): Date, updated_at and updated_since",
		defaults: FaultOptions{Delay: time.Hour},
		header: func(x *exchange, o *FaultOptions) {
			x.Header().Set("Date", time.Now().Add(o.Delay).UTC().Format(http.TimeFormat))
		},
		query: func(q *listQuery, o *FaultOptions) {
			if q.since > 0 {
				q.since = max(q.since-o.Delay.Microseconds(), 0)
			}
		},
		record: func(_ Resource, _ int, record []byte, o *FaultOptions) []byte {
			return editMember(record, "updated_at", func(value []byte) []byte {
				at, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
				if err != nil {
					return value
				}
				return appendTime(nil, at.Add(o.Delay))
			})
		},
	}
}

// silenceFaults keep the client waiting for the answer, or leave it without one.
func silenceFaults() []fault {
	return []fault{
		{
			name: "slow", description: "waits delay=2s before it answers",
			defaults: FaultOptions{Delay: 2 * time.Second},
			answer: func(x *exchange, o *FaultOptions) bool {
				return !pause(x, o.Delay)
			},
		},
		{
			name: "hang", description: "never answers and keeps the connection open",
			answer: func(x *exchange, _ *FaultOptions) bool {
				<-x.r.Context().Done()
				return true
			},
		},
		{
			name: "reset", description: "resets the connection instead of answering",
			answer: func(x *exchange, _ *FaultOptions) bool {
				reset(x)
				return true
			},
		},
	}
}

// transferFaults begin the answer and do not send its body as one expects.
func transferFaults() []fault {
	return []fault{
		{
			name: "cut-body", description: "closes the connection after half of the body",
			write: func(x *exchange, status int, body []byte, _ *FaultOptions) bool {
				x.WriteHeader(status)
				_, _ = x.Write(body[:len(body)/2])
				flush(x)
				panic(http.ErrAbortHandler)
			},
		},
		{
			name: "drip", description: "sends the body in pieces of size=16 bytes, delay=100ms apart",
			defaults: FaultOptions{Size: 16, Delay: 100 * time.Millisecond},
			write: func(x *exchange, status int, body []byte, o *FaultOptions) bool {
				x.WriteHeader(status)
				for len(body) > 0 {
					n := min(int(o.Size), len(body))
					if _, err := x.Write(body[:n]); err != nil {
						return true
					}
					flush(x)
					if body = body[n:]; len(body) > 0 && !pause(x, o.Delay) {
						panic(http.ErrAbortHandler)
					}
				}
				return true
			},
		},
		{
			name: "stall", description: "sends half of the body and then nothing more, with the connection open",
			write: func(x *exchange, status int, body []byte, _ *FaultOptions) bool {
				x.WriteHeader(status)
				_, _ = x.Write(body[:len(body)/2])
				flush(x)
				<-x.r.Context().Done()
				panic(http.ErrAbortHandler)
			},
		},
	}
}

// pause waits and reports whether the client is still there.
func pause(x *exchange, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.r.Context().Done():
		return false
	}
}

func flush(x *exchange) {
	_ = http.NewResponseController(x).Flush() // a writer that cannot flush sends at the end
}

// reset closes the connection with a TCP reset, or, where the connection is
// not to be had (HTTP/2), resets the stream.
func reset(x *exchange) {
	conn, _, err := http.NewResponseController(x).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn() // below TLS, which would say goodbye
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close by RST
	}
	_ = conn.Close()
}
