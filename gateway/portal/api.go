package portal

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"
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
