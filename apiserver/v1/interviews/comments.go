package interviews

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/review"
)

// Limits of a comment.
const (
	maxCommentBody = 4000
	maxMentions    = 20
	maxAtMS        = 24 * 60 * 60 * 1000 // longer than any recording
)

// CommentBody is a comment on an interview.
//
//openapi:name Comment
type CommentBody struct {
	ID         uuid.UUID     `json:"id"`                                                                             // unique identifier of the comment
	AuthorID   uuid.UUID     `json:"author_id"`                                                                      // unique identifier of the user or API key that wrote the comment
	AuthorName string        `json:"author_name" api:"max=200" example:"Ann Reviewer"`                               // name of the user or API key that wrote the comment
	Body       string        `json:"body" api:"max=4000" example:"@Ann Reviewer Does this match the second answer?"` // text of the comment
	AtMS       *int          `json:"at_ms" example:"83000"`                                                          // Moment of the recording that the comment is about, in milliseconds. Null if it is about the whole interview.
	Mentions   []mentionBody `json:"mentions" api:"items=20"`                                                        // users whom the comment mentions, by name
	CreatedAt  time.Time     `json:"created_at"`                                                                     // when the comment was added
	EditedAt   *time.Time    `json:"edited_at" example:"null"`                                                       // When the comment was last edited. Null if it never was.
}

// mentionBody is a user whom a comment mentions.
//
//openapi:name Mention
type mentionBody struct {
	UserID uuid.UUID  `json:"user_id"`                                   // unique identifier of the user
	Name   *string    `json:"name" api:"max=200" example:"Ann Reviewer"` // The user's name. Null if it is no longer known.
	DoneAt *time.Time `json:"done_at" example:"null"`                    // When the user responded or dismissed the mention. Null if it waits for the user.
}

// CommentOf converts a comment to its wire form.
func CommentOf(c review.Comment) CommentBody {
	return CommentBody{
		ID: c.ID, AuthorID: c.AuthorID, AuthorName: c.AuthorName, Body: c.Body, AtMS: c.AtMS, CreatedAt: c.CreatedAt, EditedAt: c.EditedAt,
		Mentions: response.ConvertRows(c.Mentions, func(m review.Mention) mentionBody { return mentionBody{m.PersonID, m.Name, m.DoneAt} }),
	}
}

// readComment reads a new comment, or what replaces one.
func readComment(o *decode.Object) review.NewComment {
	body := decode.ReadText(o, "body", maxCommentBody, "Text of the comment, which may have several lines. Write the users that it mentions as `@` with their name, and list them in `mentions`.",
		"@Ann Reviewer Does this match the second answer?")
	n := review.NewComment{Body: body.Value, Mentions: []uuid.UUID{}}
	at := o.Int("at_ms", 0, maxAtMS)
	o.Note("at_ms", decode.Note{About: "Moment of the recording that the comment is about, in milliseconds. If null or absent, it is about the whole interview.", Example: 83_000})
	if at.State == decode.Set {
		n.AtMS = &at.Value
	}
	o.Texts("mentions", maxMentions, uuidLength, func(at problem.Pointer, text string) bool {
		id, err := decode.UUID(text)
		if err != nil {
			o.At(at, problem.InvalidFormat, "Must be a UUID.")
			return false
		}
		if !slices.Contains(n.Mentions, id) {
			n.Mentions = append(n.Mentions, id)
		}
		return true
	})
	o.Note("mentions", decode.Note{About: "Users whom the comment mentions. The interview waits for each of them until they comment or dismiss it.", Example: []string{}, Each: &decode.Note{Pattern: uuidPattern}})
	return n
}

// What clients learn about comments.
const tooManyComments = "The interview has as many comments as there can be. Delete one first."

// explainComment returns the problem for an error about a comment.
func explainComment(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return problem.ExplainConflict(err, tooManyComments)
	}
	return unknownUserAt(err, "mentions")
}

// listComments answers GET /v1/interviews/{id}/comments.
func (a *API) listComments(w http.ResponseWriter, r *http.Request, p store.Page) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	comments, err := review.ListComments(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(comments, CommentOf), p)
}

// addComment answers POST /v1/interviews/{id}/comments with the comment.
func (a *API) addComment(w http.ResponseWriter, r *http.Request) error {
	id, n, err := readRequired(a, r, readComment)
	if err != nil {
		return err
	}
	render := func(c review.Comment) response.Reply {
		return response.Reply{Status: http.StatusCreated, Body: CommentOf(c)}
	}
	c, err := review.AddComment(r.Context(), a.store, route.NewRepeatableChange(r, render), id, n)
	if err != nil {
		return explainComment(err)
	}
	return render(c).Write(w)
}

// commentVariable is the path variable that names a comment.
const commentVariable = "commentId"

// editComment answers PUT /v1/interviews/{id}/comments/{commentId} with the comment.
func (a *API) editComment(w http.ResponseWriter, r *http.Request) error {
	id, n, err := readRequired(a, r, readComment)
	if err != nil {
		return err
	}
	comment, err := route.PathID(r, commentVariable)
	if err != nil {
		return err
	}
	c, err := review.EditComment(r.Context(), a.store, route.NewChange(r), id, comment, n)
	if err != nil {
		return explainComment(err)
	}
	return response.Reply{Status: http.StatusOK, Body: CommentOf(c)}.Write(w)
}

// deleteComment answers DELETE /v1/interviews/{id}/comments/{commentId} with 204.
func (a *API) deleteComment(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	comment, err := route.PathID(r, commentVariable)
	if err != nil {
		return err
	}
	if err := review.DeleteComment(r.Context(), a.store, route.NewChange(r), id, comment); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// dismissMentions answers DELETE /v1/interviews/{id}/mentions with 204, even if there is none.
func (a *API) dismissMentions(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if err := review.DismissMentions(r.Context(), a.store, route.NewChange(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
