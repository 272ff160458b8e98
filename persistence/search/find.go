package search

import (
	"context"
	"slices"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/search/internal/query"
)

// MaxHits bounds a page of hits.
const MaxHits = 500

// Find searches the index. It calls accept at most once for each existing session, to decide whether its documents are wanted.
// accept also applies m.Directory, Name and MinCost.
func (x *Index) Find(ctx context.Context, m messages.Search, accept func(messages.SessionOutline) bool) (messages.SearchFound, error) {
	s, err := x.newSearch(m, accept)
	if err != nil {
		return messages.SearchFound{}, err
	}
	if err := x.run(ctx, s); err != nil {
		return messages.SearchFound{}, err
	}
	found := messages.SearchFound{Total: s.total, Dropped: s.dropped}
	hits := s.best.sorted()
	if len(hits) > s.limit { // one more was searched, to find out whether there is a next page
		hits = hits[:s.limit]
		found.Next = s.token(hits[len(hits)-1])
	}
	for _, h := range hits {
		if hit, ok := x.hit(s, h); ok {
			found.Hits = append(found.Hits, hit)
		} else {
			found.Total--
		}
	}
	found.Behind, found.Damaged = x.Behind(s.sessions)
	return found, nil
}

// search is one running search.
type search struct {
	query    query.Query
	kinds    [8]bool // by place; all false = any
	tools    map[uint16]bool
	toolName []string // as requested
	file     string
	sessions map[messages.SessionID]bool // nil = any
	since    int64
	until    int64
	byTime   bool
	confined bool
	limit    int
	after    *cursor
	accept   func(messages.SessionOutline) bool

	anyKind bool
	facts   []fact // by place of the session
	docs    int    // of the index
	weights []float64
	best    top
	total   int
	dropped time.Time
}

// fact is what a search has found out about a session.
type fact struct {
	known, wanted bool
	outline       messages.SessionOutline
}

// newSearch checks and completes a request.
func (x *Index) newSearch(m messages.Search, accept func(messages.SessionOutline) bool) (*search, error) {
	q, err := query.Parse(m.Text)
	if err != nil {
		return nil, invalid("Give fewer or other words; 'betcode search --help' explains them.", "%w", err)
	}
	s := &search{
		query: q, file: m.File, byTime: m.ByTime, confined: m.Confined, limit: min(max(m.Limit, 1), MaxHits), accept: accept, anyKind: len(m.Kinds) == 0,
		since: milliseconds(m.Since, 0), until: milliseconds(m.Until, 1<<62),
	}
	for _, kind := range m.Kinds {
		if !slices.Contains(messages.SearchKinds, kind) {
			return nil, invalid("The kinds are user, assistant, thinking, tool and result.", "there is no kind %q", kind)
		}
		s.kinds[kindPlace(kind)] = true
	}
	for _, tool := range m.Tools {
		s.toolName = append(s.toolName, toolWord(tool))
	}
	if len(q.Want) == 0 && len(m.Kinds) == 0 && len(m.Tools) == 0 && m.File == "" && m.Sessions == nil {
		return nil, invalid("Give a word, or a tool, a file, a kind or a session.", "nothing is searched for")
	}
	if m.Sessions != nil {
		s.sessions = map[messages.SessionID]bool{}
		for _, id := range m.Sessions {
			s.sessions[id] = true
		}
	}
	if m.After != "" {
		if s.after, err = s.parseCursor(m.After); err != nil {
			return nil, err
		}
	}
	s.best = top{room: s.limit + 1, byTime: s.byTime}
	return s, nil
}

func milliseconds(at time.Time, zero int64) int64 {
	if at.IsZero() {
		return zero
	}
	return at.UnixMilli()
}

func invalid(hint, format string, args ...any) error {
	return messages.Errorf(opSearch, messages.Invalid, format, args...).WithHint(hint)
}

// run searches all segments. The segment in memory does not change meanwhile.
func (x *Index) run(ctx context.Context, s *search) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s.facts, s.dropped = make([]fact, len(x.sessions)), x.about.Dropped
	if len(s.toolName) > 0 {
		s.tools = map[uint16]bool{}
		for place, name := range x.tools {
			if name != "" && slices.Contains(s.toolName, toolWord(name)) {
				s.tools[uint16(place)] = true //nolint:gosec // bounded by maxTools
			}
		}
	}
	return x.file.View(opSearch, func(tx *boltfile.Tx) error {
		all, err := segments(tx)
		if err != nil {
			return err
		}
		sources := make([]source, 0, len(all)+1)
		written := false // the segment in memory is in the file already
		for _, segment := range all {
			sources = append(sources, &stored{tx: tx, segment: segment})
			written = written || segment.number == x.fresh.number
		}
		if !written {
			sources = append(sources, x.fresh)
		}
		if err := s.weigh(sources); err != nil {
			return err
		}
		slices.Reverse(sources) // the newest first, so that fewer hits are replaced
		for _, from := range sources {
			if err := ctx.Err(); err != nil {
				return &messages.Error{Op: opSearch, Kind: messages.Canceled, Err: context.Cause(ctx)}
			}
			if err := s.segment(x, from); err != nil {
				return err
			}
		}
		return nil
	})
}

// segment finds the hits of one segment.
func (s *search) segment(x *Index, from source) error {
	candidates, found, err := s.candidates(x, from)
	if err != nil {
		return err
	}
	at := make([]int, len(found))
	for _, doc := range candidates {
		r, err := from.row(doc)
		if err != nil {
			return err
		}
		if !s.wants(x, r) {
			continue
		}
		s.total++
		h := hit{row: r}
		if !s.byTime {
			for i, m := range found {
				h.score += s.weights[i] * frequency(m.countIn(doc, &at[i]), r.words)
			}
			h.score *= kindWeights[min(int(r.kind), len(kindWeights)-1)]
		}
		if s.after == nil || s.after.before(h, s.byTime) {
			s.best.add(h)
		}
	}
	return nil
}
