package review

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
)

// Comment is what somebody of the organization wrote about an interview, for colleagues.
type Comment struct {
	ID          uuid.UUID  `bun:"id"`
	InterviewID uuid.UUID  `bun:"interview_id"`
	AuthorID    uuid.UUID  `bun:"author_id"`   // a person or an API key
	AuthorName  string     `bun:"author_name"` // Change.By when it was written
	Body        string     `bun:"body"`
	AtMS        *int       `bun:"at_ms"` // moment of the recording; nil if it is about the whole interview
	CreatedAt   time.Time  `bun:"created_at"`
	EditedAt    *time.Time `bun:"edited_at"` // nil if it never was
	Mentions    []Mention  `bun:"-"`         // by name
}

// SubjectID implements idempotency.Subject with the interview's id.
func (c Comment) SubjectID() uuid.UUID { return c.InterviewID }

// Mention is a person whom a comment mentions.
type Mention struct {
	CommentID uuid.UUID  `bun:"comment_id"`
	PersonID  uuid.UUID  `bun:"person_id"`
	Name      *string    `bun:"name"`    // nil if it is no longer known
	DoneAt    *time.Time `bun:"done_at"` // when the person responded or put it away; nil if it waits
}

// NewComment is what a comment says.
type NewComment struct {
	Body     string
	AtMS     *int
	Mentions []uuid.UUID // people, each once
}

// maxComments is the most comments on one interview, because all are read together.
const maxComments = 1000

const commentColumns = `id, interview_id, author_id, author_name, body, at_ms, created_at, edited_at`

// ListComments returns the comments on an interview, oldest first. It returns ErrNotFound if the
// organization has no such interview.
func ListComments(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (comments []Comment, err error) {
	defer store.WrapError(&err, "list comments on interview %s", id)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		var known uuid.UUID
		if err := tx.NewRaw(`SELECT id FROM interviews WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &known); err != nil {
			return err
		}
		comments, err = ReadComments(ctx, tx, id)
		return err
	})
	return comments, err
}

// ReadComments reads the comments on an interview, oldest first.
func ReadComments(ctx context.Context, tx bun.IDB, id uuid.UUID) ([]Comment, error) {
	comments := []Comment{}
	if err := tx.NewRaw(`SELECT `+commentColumns+` FROM interview_comments WHERE interview_id = ? ORDER BY created_at, id`, id).Scan(ctx, &comments); err != nil {
		return nil, err
	}
	var mentions []Mention
	err := tx.NewRaw(`SELECT m.comment_id, m.person_id, p.name, m.done_at FROM interview_mentions AS m LEFT JOIN people AS p ON p.id = m.person_id
WHERE m.interview_id = ? ORDER BY p.name, m.person_id`, id).Scan(ctx, &mentions)
	at := make(map[uuid.UUID]int, len(comments))
	for n, c := range comments {
		at[c.ID] = n
	}
	for _, m := range mentions {
		c := &comments[at[m.CommentID]]
		c.Mentions = append(c.Mentions, m)
	}
	return comments, err
}

// AddComment adds a comment to an interview in any status, and puts away what waited there for its
// author. It returns ErrNotFound, ErrUnknownUser if a mentioned person does not exist, or
// ErrConflict if the interview has a thousand comments.
func AddComment(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, n NewComment) (made Comment, err error) {
	defer store.WrapError(&err, "comment on interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (made Comment, err error) {
		if _, err := interviews.Lock(ctx, tx, c.OrganizationID, id); err != nil {
			return made, err
		}
		var count int
		if err := tx.NewRaw(`SELECT count(*) FROM interview_comments WHERE interview_id = ?`, id).Scan(ctx, &count); err != nil {
			return made, err
		}
		if count >= maxComments {
			return made, fmt.Errorf("%w: there are %d comments", store.ErrConflict, count)
		}
		comment := store.NewID()
		_, err = tx.NewRaw(`INSERT INTO interview_comments (id, interview_id, author_id, author_name, body, at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
			comment, id, authorOf(c), c.By, n.Body, n.AtMS).Exec(ctx)
		if err != nil {
			return made, err
		}
		if err := mention(ctx, tx, c.OrganizationID, id, comment, n.Mentions); err != nil {
			return made, err
		}
		if _, err := dismissMentions(ctx, tx, id, c.PersonID); err != nil {
			return made, err
		}
		tx.Emit(commentEvent(id, comment, n))
		tx.TouchInterview(id)
		tx.Audit(action.InterviewCommentAdded, id, nil, store.AuditFields{"comment_id": comment, "mentions": n.Mentions})
		return readComment(ctx, tx, id, comment)
	})
}

// commentEvent returns the event about a new comment.
func commentEvent(id, comment uuid.UUID, n NewComment) event.Event {
	mentions := []event.MentionedUser{}
	for _, person := range n.Mentions {
		mentions = append(mentions, event.MentionedUser{UserID: person})
	}
	return event.Event{Kind: event.InterviewCommentAdded, Data: event.InterviewComment{
		InterviewID: id, CommentID: comment, AtMS: n.AtMS, Mentions: mentions, Path: interviews.Path(id),
	}}
}

// authorOf returns the person or the key that makes a change.
func authorOf(c store.Change) uuid.UUID {
	if c.PersonID != uuid.Nil {
		return c.PersonID
	}
	return c.KeyID
}

// EditComment replaces what a comment says. People who are no longer mentioned need not respond any
// more, and those who already did need not respond again. It returns ErrNotFound, ErrNotAuthor, or
// ErrUnknownUser.
func EditComment(ctx context.Context, db *store.DB, c store.Change, id, comment uuid.UUID, n NewComment) (edited Comment, err error) {
	defer store.WrapError(&err, "edit comment %s on interview %s", comment, id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (edited Comment, err error) {
		before, err := lockComment(ctx, tx, c, id, comment)
		if err != nil {
			return edited, err
		}
		_, err = tx.NewRaw(`UPDATE interview_comments SET body = ?, at_ms = ?, edited_at = now() WHERE id = ?`, n.Body, n.AtMS, comment).Exec(ctx)
		if err != nil {
			return edited, err
		}
		remaining := append([]uuid.UUID{uuid.Nil}, n.Mentions...)
		if _, err := tx.NewRaw(`DELETE FROM interview_mentions WHERE comment_id = ? AND person_id NOT IN (?)`, comment, bun.List(remaining)).Exec(ctx); err != nil {
			return edited, err
		}
		if err := mention(ctx, tx, c.OrganizationID, id, comment, n.Mentions); err != nil {
			return edited, err
		}
		tx.TouchInterview(id)
		tx.Audit(action.InterviewCommentEdited, id, store.AuditFields{"comment_id": comment, "mentions": idsOf(before.Mentions)},
			store.AuditFields{"comment_id": comment, "mentions": n.Mentions})
		return readComment(ctx, tx, id, comment)
	})
}

// DeleteComment deletes a comment with its mentions. It returns ErrNotFound or ErrNotAuthor.
func DeleteComment(ctx context.Context, db *store.DB, c store.Change, id, comment uuid.UUID) (err error) {
	defer store.WrapError(&err, "delete comment %s on interview %s", comment, id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, err := lockComment(ctx, tx, c, id, comment); err != nil {
			return none, err
		}
		if _, err := tx.NewRaw(`DELETE FROM interview_comments WHERE id = ?`, comment).Exec(ctx); err != nil {
			return none, err
		}
		tx.TouchInterview(id)
		tx.Audit(action.InterviewCommentDeleted, id, store.AuditFields{"comment_id": comment}, nil)
		return none, nil
	})
	return err
}

// DismissMentions puts away the mentions of the person who makes the change. It changes nothing for
// an API key, which nobody can mention. It returns ErrNotFound if there is no such interview.
func DismissMentions(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "dismiss mentions in interview %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, err := interviews.Lock(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		dismissed, err := dismissMentions(ctx, tx, id, c.PersonID)
		if err == nil && dismissed {
			tx.TouchInterview(id)
		}
		return none, err
	})
	return err
}

// dismissMentions puts away what waits for a person, and reports whether anything did.
func dismissMentions(ctx context.Context, tx bun.IDB, id, person uuid.UUID) (bool, error) {
	result, err := tx.NewRaw(`UPDATE interview_mentions SET done_at = now() WHERE interview_id = ? AND person_id = ? AND done_at IS NULL`, id, person).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// mention records whom a comment mentions, and keeps who is mentioned already.
func mention(ctx context.Context, tx bun.IDB, orgID, id, comment uuid.UUID, people []uuid.UUID) error {
	for _, person := range people {
		if err := interviews.CheckUser(ctx, tx, orgID, person); err != nil {
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO interview_mentions (comment_id, person_id, interview_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, comment, person, id).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// lockComment locks an interview and returns one of its comments, if its author makes the change.
func lockComment(ctx context.Context, tx *store.Tx, c store.Change, id, comment uuid.UUID) (found Comment, err error) {
	if _, err := interviews.Lock(ctx, tx, c.OrganizationID, id); err != nil {
		return found, err
	}
	if found, err = readComment(ctx, tx, id, comment); err != nil {
		return found, err
	}
	if found.AuthorID != authorOf(c) {
		return found, ErrNotAuthor
	}
	return found, nil
}

// readComment reads a comment. It returns ErrNotFound if the interview has no such comment.
func readComment(ctx context.Context, tx bun.IDB, id, comment uuid.UUID) (Comment, error) {
	comments, err := ReadComments(ctx, tx, id)
	for _, c := range comments {
		if c.ID == comment {
			return c, err
		}
	}
	if err == nil {
		err = store.ErrNotFound
	}
	return Comment{}, err
}

func idsOf(mentions []Mention) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, m := range mentions {
		ids = append(ids, m.PersonID)
	}
	return ids
}
