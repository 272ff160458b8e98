package auth

import (
	"context"
	"sync"

	"betcode/messages"
)

// Bounds of the concurrent calls of one caller. Without them the streams of one token could use up
// the slots of a session or of a connection.
const (
	TokenStreams            = 1024 // streams of a token
	localStreams            = 4096 // streams of a client of the socket
	restrictedStreams       = 512  // streams of all restricted processes together
	UnauthenticatedCalls    = 64   // calls from an address without a token
	allUnauthenticatedCalls = 256  // calls without a token together
)

// slots counts the calls being served, by caller. It is safe for concurrent use.
type slots struct {
	mu      sync.Mutex
	callers map[string]int
}

// take takes one of the most slots of a caller. release returns it.
func (s *slots) take(caller string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.callers[caller] >= most {
		return false
	}
	if s.callers == nil {
		s.callers = map[string]int{}
	}
	s.callers[caller]++
	return true
}

func (s *slots) release(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.callers[caller]--; s.callers[caller] <= 0 {
		delete(s.callers, caller)
	}
}

// unauthenticated is the name under which all callers without a token are counted.
const unauthenticated = "callers without a token"

// share is a name under which a call is counted, and its bound.
type share struct {
	caller string
	most   int
}

// sharesOf returns the shares in which a call is counted; none for a short call.
func sharesOf(ctx context.Context, c *Call) []share {
	p, known := PeerOf(ctx)
	caller := callerOf(ctx, c)
	switch {
	case known && p.Address.IsValid() && c.token == "":
		return []share{{caller, UnauthenticatedCalls}, {unauthenticated, allUnauthenticatedCalls}}
	case !c.stream:
		return nil
	case c.token != "":
		return []share{{caller, TokenStreams}}
	case known && p.ancestry.decided() && p.ancestry.get() != Unrestricted:
		return []share{{caller, restrictedStreams}}
	}
	return []share{{caller, localStreams}}
}

// occupy takes the slots of a call. The caller must always call leave, which releases them.
func (d *Interceptor) occupy(ctx context.Context, c *Call) (leave func(), err error) {
	var taken []share
	leave = func() {
		for _, t := range taken {
			d.slots.release(t.caller)
		}
	}
	for _, share := range sharesOf(ctx, c) {
		if !d.slots.take(share.caller, share.most) {
			return leave, messages.Errorf(opAdmit, messages.Exhausted, "%s already has %d calls being served, the limit", share.caller, share.most).
				With(messages.RetryAfter, "1000").WithHint("End some of them, then try again.")
		}
		taken = append(taken, share)
	}
	return leave, nil
}
