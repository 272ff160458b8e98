package voice

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"betcode/gateway/portal/places"
)

// DefaultMost is the default bound of concurrent recordings.
const DefaultMost = 16

// ErrOff is the error if there is no recogniser.
var ErrOff = errors.New("Speech-to-text not configured on server") //nolint:staticcheck // pages know this text

// Service converts speech of pages to text.
type Service struct {
	recogniser Recogniser // nil: none
	places     *places.Places
	log        zerolog.Logger

	silence time.Duration // longest silence of a page while it records
	idle    time.Duration // without a recording
}

// New returns a service with a recogniser, which may be nil, and most places for sockets and uploads; 0 =
// [DefaultMost].
func New(r Recogniser, most int, log *zerolog.Logger) *Service {
	if most <= 0 {
		most = DefaultMost
	}
	s := &Service{recogniser: r, places: places.New(most), log: zerolog.Nop(), silence: 30 * time.Second, idle: 2 * time.Minute}
	if log != nil {
		s.log = *log
	}
	return s
}

// Enabled reports whether there is a recogniser.
func (s *Service) Enabled() bool { return s.recogniser != nil }

// Enter takes a place for a caller and reports whether there was one. The caller must call leave.
func (s *Service) Enter(caller string) (leave func(), ok bool) { return s.places.Take(caller) }

// Transcribe converts a whole recording of at most [MaxAudio] bytes.
func (s *Service) Transcribe(ctx context.Context, a Audio) (string, error) {
	if s.recogniser == nil {
		return "", ErrOff
	}
	ctx, cancel := context.WithTimeoutCause(ctx, resultTimeout, errLate)
	defer cancel()
	a.Reader = &limited{a.Reader, MaxAudio}
	var texts []string
	err := s.recogniser.Recognise(ctx, a, func(r Result) {
		if r.Final {
			texts = append(texts, r.Text)
		}
	})
	if err != nil {
		return "", err
	}
	return strings.Join(texts, " "), nil
}

// limited is a reader that fails with ErrTooLong after a number of bytes.
type limited struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p[:min(len(p), l.left+1)])
	if l.left -= n; l.left < 0 {
		return 0, ErrTooLong
	}
	return n, err
}
