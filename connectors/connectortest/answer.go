package connectortest

import "net/http"

// Answer is a platform's answer to one request.
type Answer struct {
	Status int
	Body   string
	Header map[string]string // in addition to those of every answer
}

// OK returns the answer 200 with the body.
func OK(body string) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Status returns a refusal with the status and a body that explains nothing.
func Status(code int) Answer {
	return Answer{Status: code, Body: `{"error":{"code":"x","message":"y"}}`}
}

// Throttled returns the answer 429 that asks for a wait of that many seconds.
func Throttled(seconds string) Answer {
	return Answer{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": seconds}}
}

// Script holds the answers of each entry, in their order. The last one repeats. Its
// user chooses what an entry is.
type Script map[string][]Answer

// Next returns the entry's next answer, or otherwise for an entry without answers.
func (s Script) Next(entry string, otherwise Answer) Answer {
	list := s[entry]
	if len(list) == 0 {
		return otherwise
	}
	if len(list) > 1 {
		s[entry] = list[1:]
	}
	return list[0]
}
