package portal

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"betcode/gateway/portal/lines"
	pb "betcode/proto/betcode/v1"
)

const (
	// maxMessages and maxMessageBytes bound the newest lines in an answer with history.
	maxMessages     = 1000
	maxMessageBytes = 16 << 20
	recentMessages  = 50 // in the answer about a session
)

func listSessions(c call) (any, error) {
	all, err := c.daemon.Sessions(c)
	if err != nil {
		return nil, err
	}
	rows := []sessionRow{}
	for _, summary := range all {
		rows = append(rows, c.row(summary))
	}
	return map[string]any{"sessions": rows}, nil
}

func showSession(c call) (any, error) {
	found, err := c.session()
	if err != nil {
		return nil, err
	}
	recent, _, err := c.messages(found, recentMessages)
	if err != nil {
		return nil, err
	}
	for i, j := 0, len(recent)-1; i < j; i, j = i+1, j-1 { // newest first
		recent[i], recent[j] = recent[j], recent[i]
	}
	return map[string]any{"session": c.shown(found), "recent_messages": recent}, nil
}

func listMessages(c call) (any, error) {
	found, err := c.session()
	if err != nil {
		return nil, err
	}
	all, total, err := c.messages(found, maxMessages)
	if err != nil {
		return nil, err
	}
	return map[string]any{"messages": all, "total": total}, nil
}

func stopSession(c call) (any, error) {
	found, err := c.session()
	if err != nil {
		return nil, err
	}
	return http.StatusAccepted, c.daemon.Stop(c, found.Summary.GetId())
}

func deleteSession(c call) (any, error) {
	found, err := c.session()
	if err != nil {
		return nil, err
	}
	if c.caller.role() != "owner" {
		return nil, ErrDenied
	}
	return http.StatusNoContent, c.daemon.Delete(c, found.Summary.GetId())
}

// session returns the session of the path.
func (c call) session() (Session, error) {
	id, err := uuid.Parse(c.request.PathValue("id"))
	if err != nil {
		return Session{}, ErrNotFound
	}
	return c.daemon.Show(c, id.String())
}

// messageRow is a line of history in the form of the API.
type messageRow struct {
	ID        string  `json:"id"`
	Session   string  `json:"session_id"`
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	CreatedAt string  `json:"created_at"`
	User      string  `json:"user_id"`
	AgentType string  `json:"agent_type"`
	Sender    *string `json:"sender_name"`
}

// messages returns the newest lines of a session, oldest first, and the total number of lines.
func (c call) messages(of Session, most int) (rows []messageRow, total int, err error) {
	w, size := lines.New(of.Summary.GetId()), 0
	w.Describe(of.Summary.GetModel(), of.Summary.GetWorkingDirectory())
	rows = []messageRow{}
	err = c.daemon.History(c, of, func(e *pb.AgentEvent) {
		for _, l := range w.Lines(e) {
			rows = append(rows, c.messageRow(of, l))
			for size += len(l.JSON); len(rows) > 1 && (len(rows) > most || size > maxMessageBytes); rows = rows[1:] {
				size -= len(rows[0].Content)
			}
			total++
		}
	})
	return rows, total, err
}

// naive formats a time as in rows of the portal: in UTC, without a zone.
func naive(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

// parseTime parses a time from a page: naive, or with a zone as JavaScript formats it.
func parseTime(text string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02T15:04:05.999999999", time.RFC3339Nano} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
