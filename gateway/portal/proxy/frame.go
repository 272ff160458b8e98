package proxy

import (
	"slices"
	"strings"
	"time"

	"betcode/gateway/portal/wire"
	"betcode/messages"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

const (
	opRegister = "register at the portal"
	// minShutdown and maxShutdown bound the reconnect delay that a backend may request.
	minShutdown, maxShutdown = time.Second, 5 * time.Minute
)

// frame applies a message of the backend.
func (l *link) frame(m wire.Message) []effect {
	if ack, ok := m.(wire.RegisterAck); ok {
		l.registerAck(ack)
		return l.take()
	}
	if !l.registered {
		return nil // all peers drop it
	}
	switch m := m.(type) {
	case wire.OutputAck:
		if string(m.SessionID) == l.Session {
			l.acknowledged(m.AckSeq)
		}
	case wire.SequencedInput:
		l.sequenced(m)
	case wire.ClaudeInput:
		i := &input{key: l.NewID(), client: m.ClientMsgID, text: wire.Prompt(m.Content)}
		if m.ClientMsgID != nil {
			i.key = string(*m.ClientMsgID)
		}
		l.enter(i, m.SendMode)
	case wire.PermissionResponse:
		l.answer(m)
	case wire.Interrupt:
		if l.ReadOnly {
			l.note("This session may only be viewed here; its turn continues.")
			break
		}
		l.do(ask{&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupt"}}}})
	case wire.SessionTerminated:
		l.do(terminate{visible.Line(clip(m.Reason, maxName))})
	case wire.ServerShutdown:
		l.do(leave{outcome{
			err:   messages.Errorf(opRegister, messages.Unavailable, "the portal restarts: %s", visible.Line(clip(m.Reason, maxName))),
			after: max(time.Duration(min(m.ReconnectDelayMS, uint64(maxShutdown.Milliseconds())))*time.Millisecond, minShutdown), //nolint:gosec // bounded
		}})
	case wire.FileUploadStart:
		l.uploadStart(m)
	case wire.FileUploadChunk:
		l.uploadChunk(m)
	case wire.FileDownloadRequest:
		l.say(wire.FileDownloadResponse{RequestID: m.RequestID, Error: new("this proxy serves no files")})
	case wire.ForwardOpen:
		l.say(wire.ForwardStatus{Port: m.Port, Error: new("this proxy forwards no ports")})
	case wire.TunnelOpen:
		l.say(wire.TunnelRefused{StreamID: m.StreamID, Reason: "NotForwarded"})
	}
	return l.take()
}

// Texts of temporary refusals by backends of G1 and G2, which have no other mark for them.
var passing = []string{"Database connection failed", "Failed to reactivate session", "Failed to persist session", "Server temporarily unavailable"}

func (l *link) registerAck(m wire.RegisterAck) {
	switch {
	case l.registered:
	case m.Success && string(m.SessionID) != l.Session:
		l.do(leave{outcome{err: messages.Errorf(opRegister, messages.Invalid, "the portal has registered another session")}})
	case m.Success:
		l.registered = true
		l.do(open{})
		l.do(lookUp{})
	default:
		text := "no reason is given"
		if m.Error != nil {
			text = visible.Line(clip(*m.Error, maxName))
		}
		err := messages.Errorf(opRegister, messages.Denied, "the portal refuses the session: %s", text).
			WithHint("log in again with 'betcode proxy login --backend-url " + l.Backend + "', or give another token")
		later := m.Retryable || l.Dialect < wire.G3 || slices.ContainsFunc(passing, func(p string) bool { return strings.HasPrefix(text, p) })
		l.do(leave{outcome{err: err, final: !later}})
	}
}

// clip shortens text to n bytes at a character boundary.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
