package proxy

import (
	"slices"

	"betcode/gateway/portal/wire"
)

const (
	// settleSeconds is how long after the replay earlier requests may still arrive: those of subagents follow it.
	settleSeconds = 3
	// maxEarly bounds the answers that arrive before their requests.
	maxEarly = 16
)

// answer handles the portal's decision about a request. If this connection has not seen the request
// yet, the decision waits for it, since people may answer requests that an earlier connection has
// shown.
func (l *link) answer(m wire.PermissionResponse) {
	switch {
	case l.ReadOnly:
		l.note("This session may only be viewed here; the request still waits.")
	case l.live && l.queue.Has(m.RequestID):
		l.decide(m)
	case l.seated < settleSeconds && len(l.early) < maxEarly:
		l.early = append(l.early, m)
	default:
		l.decide(m)
	}
}

// decide sends a decision to the daemon. If the request does not wait, people get a note. The backend
// has dropped its request with any answer, so it gets the waiting one again.
func (l *link) decide(m wire.PermissionResponse) {
	r, err := l.queue.Decide(m)
	if err != nil {
		l.note("%s.", err)
		l.queue.Again()
		l.show()
		return
	}
	l.do(ask{r})
}

// answerEarly applies the answers whose requests have arrived meanwhile.
func (l *link) answerEarly() {
	l.early = slices.DeleteFunc(l.early, func(m wire.PermissionResponse) bool {
		known := l.queue.Has(m.RequestID)
		if known {
			l.decide(m)
		}
		return known
	})
}

// settle drops answers whose requests did not arrive.
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
