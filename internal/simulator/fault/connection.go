package fault

import (
	"net"
	"net/http"
	"slices"
	"time"
)

// Connection returns the faults that delay, cut or trickle the response. A
// client that goes away ends every wait.
func Connection[Q, P any]() []Fault[Q, P] {
	return slices.Concat(silenceFaults[Q, P](), transferFaults[Q, P]())
}

// silenceFaults keep the client waiting for the answer, or leave it without one.
func silenceFaults[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "slow", Description: "waits delay=2s before it answers",
			Defaults: Options{Delay: 2 * time.Second},
			Answer: func(x *Exchange, o *Options) bool {
				return !pauseFor(x, o.Delay)
			},
		},
		{
			Name: "hang", Description: "never answers and keeps the connection open",
			Answer: func(x *Exchange, _ *Options) bool {
				<-x.Request.Context().Done()
				return true
			},
		},
		{
			Name: "reset", Description: "resets the connection instead of answering",
			Answer: func(x *Exchange, _ *Options) bool {
				resetConnection(x)
				return true
			},
		},
	}
}

// transferFaults begin the answer and do not send its body as one expects.
func transferFaults[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "cut-body", Description: "closes the connection after half of the body",
			Write: func(x *Exchange, status int, body []byte, _ *Options) bool {
				x.WriteHeader(status)
				_, _ = x.Write(body[:len(body)/2])
				flushResponse(x)
				panic(http.ErrAbortHandler)
			},
		},
		{
			Name: "drip", Description: "sends the body in pieces of size=16 bytes, delay=100ms apart",
			Defaults: Options{Size: 16, Delay: 100 * time.Millisecond},
			Write: func(x *Exchange, status int, body []byte, o *Options) bool {
				x.WriteHeader(status)
				for len(body) > 0 {
					n := min(int(o.Size), len(body))
					if _, err := x.Write(body[:n]); err != nil {
						return true
					}
					flushResponse(x)
					if body = body[n:]; len(body) > 0 && !pauseFor(x, o.Delay) {
						panic(http.ErrAbortHandler)
					}
				}
				return true
			},
		},
		{
			Name: "stall", Description: "sends half of the body and then nothing more, with the connection open",
			Write: func(x *Exchange, status int, body []byte, _ *Options) bool {
				x.WriteHeader(status)
				_, _ = x.Write(body[:len(body)/2])
				flushResponse(x)
				<-x.Request.Context().Done()
				panic(http.ErrAbortHandler)
			},
		},
	}
}

// pauseFor waits and reports whether the client is still there.
func pauseFor(x *Exchange, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.Request.Context().Done():
		return false
	}
}

func flushResponse(x *Exchange) {
	_ = http.NewResponseController(x).Flush() // a writer that cannot flush sends at the end
}

// resetConnection closes the connection with a TCP reset, or, where the connection is
// not to be had (HTTP/2), resets the stream.
func resetConnection(x *Exchange) {
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
