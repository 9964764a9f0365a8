package middleware

import "net/http"

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	status int // 0: the header is not written
	bytes  int64
}

// WriteHeader implements http.ResponseWriter. Informational headers do not count.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach deadlines and flushing.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
