package portal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
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

// call is one request of the API.
type call struct {
	*Server
	context.Context
	daemon  Daemon
	caller  Caller
	request *http.Request
}

// with serves a request of a logged-in caller. It answers with a value as JSON, or with an error.
func (s *Server) with(serve func(call) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, done, err := s.caller(r)
		if err == nil {
			defer done()
			var value any
			if value, err = serve(c); err == nil {
				answer(w, value)
				return
			}
		}
		s.refuseCall(w, r, err)
	}
}

// withHistory is with for answers with a long history. It bounds how many are in memory: each has a place until it is
// written.
func (s *Server) withHistory(serve func(call) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, done, err := s.caller(r)
		if err != nil {
			s.refuseCall(w, r, err)
			return
		}
		defer done()
		leave, err := s.histories.Wait(c, c.login())
		if err != nil {
			s.refuseCall(w, r, errBusy)
			return
		}
		defer leave()
		value, err := serve(c)
		if err != nil {
			s.refuseCall(w, r, err)
			return
		}
		answer(w, value)
	}
}

// errBusy is the error if too many histories are being read.
var errBusy = errors.New("too many histories are read at once; try again")

// refuseCall answers with the status for an error of the daemon.
func (s *Server) refuseCall(w http.ResponseWriter, r *http.Request, err error) {
	var state StateError
	switch {
	case errors.Is(err, ErrUnauthenticated):
		s.refuse(w, r, http.StatusUnauthorized, "log in first")
	case errors.Is(err, ErrNotFound):
		s.refuse(w, r, http.StatusNotFound, "there is nothing under this id")
	case errors.As(err, &state), errors.Is(err, errConflict):
		s.refuse(w, r, http.StatusConflict, err.Error())
	case errors.Is(err, ErrInvalid):
		s.refuse(w, r, http.StatusBadRequest, err.Error())
	case errors.Is(err, ErrDenied):
		s.refuse(w, r, http.StatusForbidden, "your token does not allow that")
	default:
		s.refuse(w, r, http.StatusServiceUnavailable, err.Error())
	}
}

// answer writes a value as JSON. A value of type int is a status without a body.
func answer(w http.ResponseWriter, value any) {
	if status, ok := value.(int); ok {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		return
	}
	if made, ok := value.(created); ok {
		answerStatus(w, http.StatusCreated, made.value)
		return
	}
	answerStatus(w, http.StatusOK, value)
}

// created is the value of a newly created object, answered with status 201.
type created struct{ value any }

// answerStatus writes a value with a status.
func answerStatus(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // best effort: the browser may have gone
}

// caller connects to the daemon as the logged-in caller of a request. done ends the connection.
func (s *Server) caller(r *http.Request) (c call, done func(), err error) {
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	d, caller, err := s.connect(ctx, r, "portal-"+uuid.NewString()[:8])
	if err != nil {
		cancel()
		return call{}, nil, err
	}
	return call{s, ctx, d, caller, r}, func() {
		cancel()
		_ = d.Close() // nothing is asked any more
	}, nil
}

// health answers in the form of each generation: G3 requests JSON.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "json") {
		answer(w, map[string]string{"status": "OK", "version": s.options.Version})
		return
	}
	_, _ = w.Write([]byte("OK")) // best effort: the caller may have gone
}

func (s *Server) config(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"app_title": "betcode", "server_version": s.options.Version, "splash_text": nil, "git_hash": "", "build_time": "",
		"archive_enabled": false, "auth_providers": []string{},
	})
}

// people is the namespace of ids of people, which are derived from their names, as in the claims of their tokens.
var people = uuid.MustParse("5a1de0b2-3a0f-5c39-9f4e-bb0a2d1c7e55")

// developer is the user of dev mode, as other servers name it.
const developer = "testing@testing.local"

func (c Caller) id() string { return uuid.NewSHA1(people, []byte(c.Person)).String() }

func (s *Server) email(c Caller) string {
	switch {
	case s.options.Dev:
		return developer
	case c.Person == "":
		return "user@" + s.options.Hostname
	}
	return c.Person + "@" + s.options.Hostname
}

// name returns the name of the caller for people.
func (c Caller) name() string { return cmp.Or(c.Person, "user") }

func me(c call) (any, error) {
	return map[string]any{
		"id": c.caller.id(), "email": c.email(c.caller), "name": c.caller.name(), "avatar_url": nil, "is_admin": c.caller.may("admin"),
		"voice_enabled": c.voices.Enabled() && c.caller.may("control"),
	}, nil
}

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
