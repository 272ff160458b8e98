package voice

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"betcode/gateway/portal/wire"
)

const (
	maxFrame      = 256 << 10
	framesASecond = 100 // a page sends four
	framesAtOnce  = 1000
	startsASecond = 1 // each start is a process
	startsAtOnce  = 10
	writeTimeout  = 10 * time.Second
	maxLanguage   = 35 // bytes, as the longest tags of languages in use have
)

var errReplaced = errors.New("another recording begins")

// conversation is one socket of a page that records. Its methods are called on one goroutine; results come from
// another.
type conversation struct {
	*Service
	socket  *websocket.Conn
	session wire.UUID
	current *recording // nil: none

	mu sync.Mutex // of writes
}

// Serve serves /ws/voice for a session until the page leaves, ctx ends, or the page is idle too long. The caller has
// authenticated the page, and closes the socket.
func (s *Service) Serve(ctx context.Context, socket *websocket.Conn, session wire.UUID) {
	socket.SetReadLimit(maxFrame)
	c := &conversation{Service: s, socket: socket, session: session}
	defer c.drop()
	limit, starts := rate.NewLimiter(framesASecond, framesAtOnce), rate.NewLimiter(startsASecond, startsAtOnce)
	for limit.Wait(ctx) == nil {
		kind, frame, err := c.read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			c.addAudio(ctx, frame)
			continue
		}
		m, err := wire.Decode(wire.FromVoice, frame)
		if err != nil {
			c.fail(ctx, err.Error())
			continue
		}
		switch m := m.(type) { // other messages are ignored
		case wire.StartVoice:
			if m.SessionID != session {
				continue
			}
			if starts.Wait(ctx) != nil {
				return
			}
			c.start(ctx, m)
		case wire.StopVoice:
			if m.SessionID == session && c.current != nil {
				c.current.end()
			}
		}
	}
}

// read reads one frame. If none arrives in time, it sends an error to the page and closes the socket.
func (c *conversation) read(ctx context.Context) (websocket.MessageType, []byte, error) {
	wait := c.idle
	if c.current != nil && !c.current.ended {
		wait = c.silence
	}
	quiet := time.AfterFunc(wait, func() {
		c.fail(ctx, "Nothing was heard for a while")
		_ = c.socket.CloseNow() // read returns
	})
	defer quiet.Stop()
	return c.socket.Read(ctx)
}

// start begins a recording. It replaces the present one.
func (c *conversation) start(ctx context.Context, m wire.StartVoice) {
	c.drop()
	if c.recogniser == nil {
		c.fail(ctx, ErrOff.Error())
		return
	}
	c.current = record(ctx, c.recogniser, languageOf(m.LanguageCode), func(said Result) {
		c.send(ctx, wire.Transcription{SessionID: c.session, Transcript: said.Text, IsFinal: said.Final, Confidence: said.Confidence})
	}, func(err error) { c.over(ctx, err) })
}

// languageOf returns the language tag that a page has sent, or English if it is not a tag. The check
// matters because the tag is put into the environment of a recogniser, which may be a script that does not
// quote it.
func languageOf(tag string) string {
	foreign := func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if tag == "" || len(tag) > maxLanguage || strings.HasPrefix(tag, "-") || strings.ContainsFunc(tag, foreign) {
		return "en-US"
	}
	return tag
}

// addAudio passes audio to the recording. Without a recording it ignores the audio.
func (c *conversation) addAudio(ctx context.Context, piece []byte) {
	if c.current == nil {
		return
	}
	if err := c.current.write(piece); err != nil {
		c.current.cancel(err)
	}
}

// over reports to the page that a recogniser has ended.
func (c *conversation) over(ctx context.Context, err error) {
	var start startError
	switch {
	case errors.Is(err, errReplaced), ctx.Err() != nil:
	case err == nil:
		c.send(ctx, wire.VoiceEnded{SessionID: c.session})
	case errors.As(err, &start):
		c.log.Warn().Err(err).Msg("recogniser not started")
		c.fail(ctx, "Failed to start speech recognition: "+clean(err.Error()))
	default:
		c.log.Warn().Err(err).Msg("recogniser failed")
		c.fail(ctx, "Speech recognition failed: "+clean(err.Error()))
	}
}

// drop ends the present recording.
func (c *conversation) drop() {
	if c.current != nil {
		c.current.abandon(errReplaced)
		c.current = nil
	}
}

func (c *conversation) fail(ctx context.Context, why string) {
	c.send(ctx, wire.VoiceError{SessionID: c.session, Message: why})
}

// send sends a message. If the page has gone, the next read fails.
func (c *conversation) send(ctx context.Context, m wire.Message) {
	frame, err := wire.Encode(wire.G2, wire.ToVoice, m)
	if err != nil {
		c.log.Error().Err(err).Msg("frame not sent")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.socket.Write(ctx, websocket.MessageText, frame) // a failed write closes the socket
}
