package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// assay follows no redirects, so a program that redirects must not look as if it works.
func TestForwardFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	program := httptest.NewServer(http.RedirectHandler("/webhooks/", http.StatusMovedPermanently))
	t.Cleanup(program.Close)
	l := listener{to: program.URL + "/webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	if answer, err := l.post(t.Context(), "evt_1", []byte("{}")); err != nil || answer != "301 Moved Permanently" {
		t.Errorf("the program answered %q, %v", answer, err)
	}
}
