package portal

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/gateway/portal/voice"
	"betcode/gateway/portal/wire"
)

const (
	transcribePath = "/api/stt/transcribe"
	// uploadTimeout bounds the upload of a recording and its recognition.
	uploadTimeout = 3 * time.Minute
	checkEvery    = 10 * time.Second // interval of checks of the caller's token
	tooManyVoices = "too many people speak at once"
)

// speak serves /ws/voice: a page of G1 or G2 sends audio and gets text. It sends the text as a prompt itself, so the
// caller must have the right to control.
func (s *Server) speak(w http.ResponseWriter, r *http.Request) {
	if !s.hosts.origin(r, bearer(r) != "") {
		s.refuse(w, r, http.StatusForbidden, "a page without an Origin is not served")
		return
	}
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		s.refuse(w, r, http.StatusNotFound, "there is no such session")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	d, caller, err := s.connect(ctx, r, "portal-voice-"+uuid.NewString()[:8])
	if err == nil {
		defer d.Close()
		if _, err = d.Show(ctx, id.String()); err == nil && !caller.within(id.String()).may("control") {
			err = ErrDenied
		}
	}
	cancel()
	if err != nil {
		s.refuseCall(w, r, err)
		return
	}
	done, ok := s.voices.Enter(caller.login())
	if !ok {
		s.refuse(w, r, http.StatusServiceUnavailable, tooManyVoices)
		return
	}
	defer done()
	socket, leave, ok := s.accept(w, r, caller)
	if !ok {
		return
	}
	defer leave()
	ctx, cancel = context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ended, cancel)()
	go lose(ctx, d, cancel)
	s.voices.Serve(ctx, socket, wire.UUID(id.String()))
}

// lose cancels a call when the token of its caller has ended.
func lose(ctx context.Context, d Daemon, cancel context.CancelFunc) {
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
		}
		asked, done := context.WithTimeout(ctx, callTimeout)
		_, err := d.Caller(asked)
		done()
		if errors.Is(err, ErrUnauthenticated) {
			cancel()
			return
		}
	}
}

// transcribe serves an upload of G3: one recording as the body, its text as the answer.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), uploadTimeout)
	defer cancel()
	asked, done := context.WithTimeout(ctx, callTimeout)
	d, caller, err := s.connect(asked, r, "portal-voice-"+uuid.NewString()[:8])
	done()
	if err == nil {
		defer d.Close()
		if !caller.may("control") {
			err = ErrDenied
		}
	}
	kind := r.Header.Get("Content-Type")
	switch {
	case err != nil:
		s.refuseCall(w, r, err)
		return
	case !strings.HasPrefix(kind, "audio/") || len(kind) > 128 || strings.ContainsFunc(kind, func(c rune) bool { return c < ' ' || c > '~' }):
		s.refuse(w, r, http.StatusUnsupportedMediaType, "the body is no recording: send audio/*")
		return
	}
	done, ok := s.voices.Enter(caller.login())
	if !ok {
		s.refuse(w, r, http.StatusServiceUnavailable, tooManyVoices)
		return
	}
	defer done()
	deadlines, late := http.NewResponseController(w), time.Now().Add(uploadTimeout)
	if err := errors.Join(deadlines.SetReadDeadline(late), deadlines.SetWriteDeadline(late.Add(callTimeout))); err != nil {
		s.log.Debug().Err(err).Msg("upload has no deadline of its own") // the server's deadlines apply
	}
	text, err := s.voices.Transcribe(ctx, voice.Audio{Reader: r.Body, Type: kind})
	var large *http.MaxBytesError
	switch {
	case err == nil:
		answer(w, map[string]string{"text": text})
	case errors.Is(err, voice.ErrOff):
		s.refuse(w, r, http.StatusServiceUnavailable, err.Error())
	case errors.As(err, &large), errors.Is(err, voice.ErrTooLong):
		s.refuse(w, r, http.StatusRequestEntityTooLarge, voice.ErrTooLong.Error())
	default:
		s.log.Warn().Err(err).Msg("recogniser failed")
		s.refuse(w, r, http.StatusBadGateway, "speech recognition failed")
	}
}
