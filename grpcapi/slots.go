package grpcapi

import (
	"context"
	"sync"

	"betcode/messages"
)

// How many calls of one caller are served at once. Streams last, so that without a bound
// one token could take all places of a session, or all that a connection has.
const (
	tokenStreams      = 1024 // streams of a token
	localStreams      = 4096 // streams of a client of the socket
	restrictedStreams = 512  // streams of all processes that may only view, together
	strangerCalls     = 64   // calls from an address without a token
	strangersCalls    = 256  // calls without a token, together
)

// slots counts calls under way, by caller. It may be used by many goroutines.
type slots struct {
	mu      sync.Mutex
	callers map[string]int
}

// enter takes a slot of a caller that may have so many. The slot is given back by leave.
func (s *slots) enter(caller string, most int) bool {
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

func (s *slots) leave(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.callers[caller]--; s.callers[caller] <= 0 {
		delete(s.callers, caller)
	}
}

// strangers is what callers without a token count as together.
const strangers = "callers without a token"

// share is a name that a call is counted under, and how many may be.
type share struct {
	caller string
	most   int
}

// sharesOf are the shares that a call is counted in; none for one that does not last.
func sharesOf(ctx context.Context, c *call) []share {
	p, known := PeerOf(ctx)
	caller := callerOf(ctx, c)
	switch {
	case known && p.Address.IsValid() && c.token == "":
		return []share{{caller, strangerCalls}, {strangers, strangersCalls}}
	case !c.stream:
		return nil
	case c.token != "":
		return []share{{caller, tokenStreams}}
	case known && p.judged.decided() && p.judged.get() != unrestricted:
		return []share{{caller, restrictedStreams}}
	}
	return []share{{caller, localStreams}}
}

// occupy takes the slots of a call; leave gives them back, and is to be called in any
// case.
func (s *Server) occupy(ctx context.Context, c *call) (leave func(), err error) {
	var taken []share
	leave = func() {
		for _, t := range taken {
			s.slots.leave(t.caller)
		}
	}
	for _, share := range sharesOf(ctx, c) {
		if !s.slots.enter(share.caller, share.most) {
			return leave, messages.Errorf(opAdmit, messages.Exhausted, "%s has %d calls under way, and no more are served at once", share.caller, share.most).
				With(messages.RetryAfter, "1000").WithHint("End some of them, and come again.")
		}
		taken = append(taken, share)
	}
	return leave, nil
}
