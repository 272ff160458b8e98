package portal

import (
	"sync"

	pb "betcode/proto/betcode/v1"
)

// feedKey is a session as one account sees it. Pages of different accounts share no feed, since the
// daemon decides separately what each may see.
type feedKey struct {
	account *account
	session string
}

// feeds has the feeds with pages.
type feeds struct {
	mu  sync.Mutex
	all map[feedKey]*feed
}

// join adds a page to the feed of a session; nil if there is none. The page gets the events after from.
func (s *feeds) join(key feedKey) (o *outbox, from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.all[key]
	if f == nil {
		return nil, 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil, 0
	}
	o = newOutbox(f)
	for _, e := range f.here.asked { // the journal may have trimmed their events
		o.put(newItem(&pb.AgentEvent{SessionId: e.GetSessionId(), Event: e.GetEvent()}, nil))
	}
	f.pages[o] = true
	return o, f.here.at
}

// found begins a feed with a page's own stream, at the position of the page; nil if the session has a feed.
func (s *feeds) found(key feedKey, follower Conversation, from position) *outbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.all[key]; f != nil && f.alive() {
		return nil
	}
	f := &feed{follower: follower, here: from, pages: map[*outbox]bool{}}
	o := newOutbox(f)
	f.pages[o] = true
	s.all[key] = f
	go func() {
		f.run()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.all[key] == f {
			delete(s.all, key)
		}
	}()
	return o
}

func (f *feed) alive() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.ended
}
