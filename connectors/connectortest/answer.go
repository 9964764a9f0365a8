package connectortest

import "net/http"

// Answer is what a platform says to one request.
type Answer struct {
	Status int
	Body   string
	Header map[string]string // beside those of every answer
}

// OK is the answer 200 with the body.
func OK(body string) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Status is a refusal with the status and a body that explains nothing.
func Status(code int) Answer {
	return Answer{Status: code, Body: `{"error":{"code":"x","message":"y"}}`}
}

// Throttled is the answer 429 that asks for a wait of that many seconds.
func Throttled(seconds string) Answer {
	return Answer{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": seconds}}
}

// Script holds what is answered at each entry, one answer after the other, the
// last one for ever. What an entry stands for is its user's choice.
type Script map[string][]Answer

// Next takes the entry's next answer; otherwise is that of an entry without answers.
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
