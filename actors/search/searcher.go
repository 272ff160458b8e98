package search

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"betcode/messages"
	"betcode/persistence/search"
)

// Store is the part of the journal that is indexed and searched.
type Store interface {
	search.Journal
	// Sessions lists all sessions, for facts that only their records have.
	Sessions(workingDirectory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error)
}

const (
	patience    = 5 * time.Second // time limit of a search
	concurrency = 4               // searches at once
	opSearch    = "search history"
)

// Searcher searches the index that the actor maintains.
type Searcher struct {
	store Store
	slots chan struct{}

	mu    sync.RWMutex // read-locked during a search
	index *search.Index
	why   error // why there is no index

	waiting sync.Mutex
	behind  map[messages.SessionID]bool // sessions with events that are not indexed
	notify  func()                      // sends the actor a message; nil until it runs, and after it was called
	broken  func(error)                 // reports damage that a search found to the actor; nil until it runs
}

// NewSearcher returns a searcher without an index.
func NewSearcher(store Store) *Searcher {
	return &Searcher{
		store: store, slots: make(chan struct{}, concurrency), behind: map[messages.SessionID]bool{}, why: errOpening,
	}
}

var (
	errOpening = messages.Errorf(opSearch, messages.Unavailable, "the search index is being opened").WithHint("Try again in a moment.")
	errOff     = messages.Errorf(opSearch, messages.WrongState, "the search index is switched off").
			WithHint("Switch it on: betcode config set search.max_bytes 2GiB")
)

// Committed records that a session has new events. It does not wait.
func (s *Searcher) Committed(id messages.SessionID) {
	s.waiting.Lock()
	s.behind[id] = true
	notify := s.notify
	s.notify = nil
	s.waiting.Unlock()
	if notify != nil {
		notify()
	}
}

// await calls notify once when a session has new events, at once if one has.
func (s *Searcher) await(notify func()) {
	s.waiting.Lock()
	due := len(s.behind) > 0
	if s.notify = notify; due {
		s.notify = nil
	}
	s.waiting.Unlock()
	if due {
		notify()
	}
}

// onDamage sets the function that is called when a search finds the index damaged.
func (s *Searcher) onDamage(broken func(error)) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	s.broken = broken
}

// damaged reports damage to the actor, and returns the error for the caller of the search.
func (s *Searcher) damaged(err error) error {
	s.waiting.Lock()
	broken := s.broken
	s.waiting.Unlock()
	if broken != nil {
		broken(err)
	}
	return messages.Errorf(opSearch, messages.Unavailable, "the search index is damaged and is built anew: %w", err).WithHint("Try again in a moment.")
}

// next takes a session with events that are not indexed. Later events are reported again.
func (s *Searcher) next() (messages.SessionID, bool) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	for id := range s.behind {
		delete(s.behind, id)
		return id, true
	}
	return "", false
}

// again records sessions that are not completely indexed. It does not notify, because the caller continues.
func (s *Searcher) again(ids ...messages.SessionID) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	for _, id := range ids {
		s.behind[id] = true
	}
}

// set replaces the index. If it is nil, why is the reason.
func (s *Searcher) set(x *search.Index, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index, s.why = x, why
}

// Search answers a search on the caller's goroutine.
func (s *Searcher) Search(ctx context.Context, m messages.Search) (messages.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, s.late(ctx)
	}
	accept, err := s.accept(m)
	if err != nil {
		return nil, messages.AsError(opSearch, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil {
		return nil, s.why
	}
	found, err := s.index.Find(ctx, m, accept)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, s.late(ctx)
	case err != nil && messages.KindOf(err) == messages.DataLoss:
		return nil, s.damaged(err)
	case err != nil:
		return nil, messages.AsError(opSearch, err)
	}
	return found, nil
}

// late returns the error of a search whose context has ended.
func (s *Searcher) late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return messages.Errorf(opSearch, messages.DeadlineExceeded, "the search took longer than %s", patience).
			WithHint("Give rarer words, or limit it with --since, --session or --dir.")
	}
	return &messages.Error{Op: opSearch, Kind: messages.Canceled, Err: context.Cause(ctx)}
}

// accept returns a filter of the sessions that are searched.
func (s *Searcher) accept(m messages.Search) (func(messages.SessionOutline) bool, error) {
	var costs map[messages.SessionID]float64
	if m.MinCost > 0 {
		records, _, err := s.store.Sessions("", "", 0, 0)
		if err != nil {
			return nil, err
		}
		costs = make(map[messages.SessionID]float64, len(records))
		for i := range records {
			costs[records[i].ID] = records[i].Usage.CostUSD
		}
	}
	name := strings.ToLower(m.Name)
	return func(o messages.SessionOutline) bool {
		named := name == "" || strings.Contains(strings.ToLower(o.Name+"\n"+o.Title), name)
		return named && o.In(m.Directory) && (m.MinCost <= 0 || costs[o.ID] >= m.MinCost)
	}, nil
}
