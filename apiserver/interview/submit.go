package interview

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/interviews/answering"
)

// maxUnanswered limits the questions that are left unanswered: an interview's own questions and
// those from the trader's data.
const maxUnanswered = 25

// readSubmit reads the body of POST submit: the required questions that the
// trader leaves unanswered.
func readSubmit(o *decode.Object) (unanswered []uuid.UUID) {
	o.Texts("unanswered", maxUnanswered, 36, func(at problem.Pointer, text string) bool {
		id, err := uuid.Parse(text)
		if err != nil {
			o.At(at, problem.InvalidFormat, "Must be a UUID.")
			return false
		}
		unanswered = append(unanswered, id)
		return true
	})
	return unanswered
}

// Submit answers POST /i/{token}/submit with 204 and submits the answers. The request names
// required questions without an answer, which are marked for the reviewer.
func (h *Handler) Submit(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	unanswered, err := decode.OptionalBodyOf(r, readSubmit)
	if err != nil {
		return err
	}
	if err := answering.Submit(r.Context(), h.Store, s, unanswered...); err != nil {
		return h.takeFailed(r, err)
	}
	auth.ClearHostCookie(w, cookieName(tokenOf(r)))
	w.WriteHeader(http.StatusNoContent)
	return nil
}
