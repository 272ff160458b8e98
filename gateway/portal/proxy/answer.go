package proxy

import (
	"slices"

	"betcode/gateway/portal/wire"
)

const (
	// settleSeconds is how long after the past requests may still be heard of: those of subagents come
	// behind it.
	settleSeconds = 3
	// maxEarly bounds the answers that came before their requests.
	maxEarly = 16
)

// answer takes the portal's decision about a request. One that comes before this connection has heard
// of the request waits for it: people answer what an earlier connection has shown.
func (l *link) answer(m wire.PermissionResponse) {
	switch {
	case l.ReadOnly:
		l.note("This session may only be viewed here; the request still waits.")
	case l.live && l.book.Has(m.RequestID):
		l.decide(m)
	case l.seated < settleSeconds && len(l.early) < maxEarly:
		l.early = append(l.early, m)
	default:
		l.decide(m)
	}
}

// decide asks the daemon for a decision. If the request does not wait, people are told; the backend has
// dropped the one that it had, whatever was answered, and gets it again.
func (l *link) decide(m wire.PermissionResponse) {
	r, err := l.book.Decide(m)
	if err != nil {
		l.note("%s.", err)
		l.book.Again()
		l.show()
		return
	}
	l.do(ask{r})
}

// answerEarly applies the answers whose requests this connection has heard of by now.
func (l *link) answerEarly() {
	l.early = slices.DeleteFunc(l.early, func(m wire.PermissionResponse) bool {
		known := l.book.Has(m.RequestID)
		if known {
			l.decide(m)
		}
		return known
	})
}

// settle gives answers up whose requests do not come.
func (l *link) settle() {
	if !l.live || l.seated >= settleSeconds {
		return
	}
	if l.seated++; l.seated == settleSeconds {
		early := l.early
		l.early = nil
		for _, m := range early {
			l.decide(m)
		}
	}
}
