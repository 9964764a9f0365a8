package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/auditlog/action"
)

// Topic is the kind of object that a change concerns, as pages show it.
type Topic string

// The topics.
const (
	TopicIntegrations Topic = "integrations" // with their runs, schedule, quarantine and findings
	TopicTraders      Topic = "traders"      // with their accounts, trades, payouts, notes and files
	TopicInterviews   Topic = "interviews"   // with the steps of their pipeline
	TopicWebhooks     Topic = "webhooks"     // with their deliveries
	TopicAPIKeys      Topic = "api_keys"
	TopicUsers        Topic = "users"
	TopicAudit        Topic = "audit" // an entry was added to the log
)

// Topics lists the topics.
func Topics() []Topic {
	return []Topic{TopicIntegrations, TopicTraders, TopicInterviews, TopicWebhooks, TopicAPIKeys, TopicUsers, TopicAudit}
}

// Notice announces that an object of an organization has changed, without the new state: its
// recipients read the object again.
type Notice struct {
	OrganizationID uuid.UUID
	Topic          Topic
	ID             uuid.UUID // of the object; zero for several, or for none in particular
}

// noticeChannel is the channel on which notices are announced. The payload is Notice.encode.
const noticeChannel = "changes"

func (n Notice) encodePayload() string {
	return n.OrganizationID.String() + " " + string(n.Topic) + " " + n.ID.String()
}

func decodeNotice(text string) (n Notice, err error) {
	words := strings.Split(text, " ")
	if len(words) != 3 {
		return n, fmt.Errorf("%q is no notice", text)
	}
	if n.OrganizationID, err = uuid.Parse(words[0]); err != nil {
		return n, err
	}
	n.Topic = Topic(words[1])
	n.ID, err = uuid.Parse(words[2])
	return n, err
}

// maxNoticeIDs is how many objects of a topic are named individually.
const maxNoticeIDs = 20

// Changed is a set of changed objects in an organization. Its size is limited: many objects of a
// topic become a single entry with the zero id. It is made with make.
type Changed map[Topic]map[uuid.UUID]struct{}

// Add adds an object of a topic, in the way of Notice.
func (c Changed) Add(topic Topic, id uuid.UUID) {
	ids := c[topic]
	if ids == nil {
		ids = make(map[uuid.UUID]struct{}, 1)
		c[topic] = ids
	}
	if _, all := ids[uuid.Nil]; all {
		return
	}
	if id == uuid.Nil || len(ids) == maxNoticeIDs {
		clear(ids)
		id = uuid.Nil
	}
	ids[id] = struct{}{}
}

// Notices lists the set in the order of Topics.
func (c Changed) Notices(orgID uuid.UUID) []Notice {
	var list []Notice
	for _, topic := range Topics() {
		for id := range c[topic] {
			list = append(list, Notice{orgID, topic, id})
		}
	}
	return list
}

// topicOf returns the topic of the object that an action has changed, and whether the object's id
// is one of the topic. The topic is empty if there is none, or if the action has only viewed the
// object.
func topicOf(done action.Kind) (topic Topic, named bool) {
	switch done {
	case action.InterviewPlayed, action.InterviewExported, action.TraderExported, action.ListExported:
		return "", false
	}
	switch done.ObjectKind() {
	case "integration":
		return TopicIntegrations, true
	case "trader":
		return TopicTraders, true
	case "activity_file":
		return TopicTraders, false
	case "interview":
		return TopicInterviews, true
	case "webhook":
		return TopicWebhooks, true
	case "api_key":
		return TopicAPIKeys, true
	case "user":
		return TopicUsers, true
	}
	return "", false
}

// TouchInterview notes that the current change has changed an interview, for changes that the audit
// log does not show.
func (l *ledger) TouchInterview(id uuid.UUID) { l.touched.Add(TopicInterviews, id) }

// sendNotices announces the notices once the transaction has committed. Postgres then holds a lock
// of the whole cluster until the commit is on disk, so frequent writes use NoteChange instead.
func sendNotices(ctx context.Context, tx bun.IDB, notices []Notice) error {
	if len(notices) == 0 {
		return nil
	}
	_, err := tx.NewRaw(`SELECT pg_notify(?, n) FROM unnest(?::text[]) AS n`, noticeChannel, TextArray(encodeNotices(notices))).Exec(ctx)
	return err
}

func encodeNotices(notices []Notice) []string {
	texts := make([]string, len(notices))
	for i, n := range notices {
		texts[i] = n.encodePayload()
	}
	return texts
}

// How often notices of a process are announced together, and the time limit for that.
const (
	noticePeriod = time.Second
	noticeLimit  = 5 * time.Second
)

// noticeBoard collects the notices of frequent writes: pages of syncs, slices of integrations,
// deliveries. They are announced together once a second, in a separate transaction that writes
// nothing and so does not wait for the disk. If a process dies, the notices of its last second are
// lost.
type noticeBoard struct {
	mu      sync.Mutex
	changed map[uuid.UUID]Changed // by organization
	timer   *time.Timer           // announces them; nil if there are none
	closed  bool
	telling sync.WaitGroup
}

// NoteChange notes that an object has changed. It is called after the commit.
func (db *DB) NoteChange(orgID uuid.UUID, topic Topic, id uuid.UUID) {
	b := &db.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(orgID, topic, id)
	db.announceSoon()
}

func (b *noticeBoard) add(orgID uuid.UUID, topic Topic, id uuid.UUID) {
	if b.changed == nil {
		b.changed = make(map[uuid.UUID]Changed)
	}
	changed := b.changed[orgID]
	if changed == nil {
		changed = make(Changed)
		b.changed[orgID] = changed
	}
	changed.Add(topic, id)
}

// announceSoon starts the timer, unless it runs. The board must be locked.
func (db *DB) announceSoon() {
	b := &db.board
	if b.timer != nil || b.closed {
		return
	}
	b.telling.Add(1)
	b.timer = time.AfterFunc(noticePeriod, func() {
		defer b.telling.Done()
		db.announceNotices()
	})
}

// announceNotices announces the board's notices. Those that cannot be announced stay on the board.
func (db *DB) announceNotices() {
	b := &db.board
	b.mu.Lock()
	var notices []Notice
	for orgID, changed := range b.changed {
		notices = append(notices, changed.Notices(orgID)...)
	}
	b.changed, b.timer = nil, nil
	b.mu.Unlock()
	if len(notices) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noticeLimit)
	defer cancel()
	_, err := db.Pool.Exec(ctx, `SELECT pg_notify($1, n) FROM unnest($2::text[]) AS n`, Prepared(db, noticeChannel, encodeNotices(notices))...)
	if err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range notices {
		b.add(n.OrganizationID, n.Topic, n.ID)
	}
	db.announceSoon()
}

// closeBoard announces the remaining notices.
func (db *DB) closeBoard() {
	b := &db.board
	b.mu.Lock()
	b.closed = true
	early := b.timer != nil && b.timer.Stop()
	b.mu.Unlock()
	if early {
		db.announceNotices()
		b.telling.Done()
	}
	b.telling.Wait()
}

// NoticeSession is a dedicated database session of a process, in which it receives notices. It is
// used by one goroutine at a time.
type NoticeSession struct {
	conn *pgx.Conn
	db   *DB
}

// OpenNoticeSession connects directly to the server, bypassing a pooler. The session receives what
// is committed from then on. Close must be called.
func (db *DB) OpenNoticeSession(ctx context.Context) (s *NoticeSession, err error) {
	defer WrapError(&err, "open notice session")
	conn, err := db.Listen(ctx, noticeChannel)
	if err != nil {
		return nil, err
	}
	db.setReceiving(true)
	return &NoticeSession{conn, db}, nil
}

// Close ends the session.
func (s *NoticeSession) Close(ctx context.Context) error {
	s.db.setReceiving(false)
	return s.conn.Close(ctx)
}

// Next waits for the next notice. After an error the session is lost, or ctx has
// ended.
func (s *NoticeSession) Next(ctx context.Context) (Notice, error) {
	for {
		received, err := s.conn.WaitForNotification(ctx)
		if err != nil {
			s.db.setReceiving(false)
			return Notice{}, fmt.Errorf("wait for notices: %w", err)
		}
		if n, err := decodeNotice(received.Payload); err == nil {
			s.db.noteReplica(n.OrganizationID)
			return n, nil
		}
	}
}
