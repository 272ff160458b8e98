package messages

import (
	"path/filepath"
	"time"
)

// Search asks for parts of session histories that match words. It is answered on the caller's goroutine with
// [SearchFound].
type Search struct {
	ask
	Text      string      // words, "phrases", prefix*, -excluded; may be empty if Tools, File or Kinds select something
	Sessions  []SessionID // only these, if it is not nil
	Directory string      // only sessions that work here or below; absolute; empty = any
	Name      string      // only sessions with this in their name or title, in any case
	MinCost   float64     // only sessions that have cost at least this, in US dollars
	Kinds     []SearchKind
	Tools     []string  // only calls of one of these tools and their results
	File      string    // only calls that name this file, or one below this directory; without a slash any file of this name
	Since     time.Time // not before; zero = any time
	Until     time.Time // before; zero = any time
	ByTime    bool      // the newest first; otherwise the best match
	Limit     int       // of hits; at least 1
	After     string    // the Next of the page before
	Confined  bool      // the caller may see nothing but Sessions: the answer depends on no other session
}

// SearchKind is the kind of a part of a history.
type SearchKind string

// The kinds.
const (
	SearchUser      SearchKind = "user"      // a message of a user
	SearchAssistant SearchKind = "assistant" // a block of text of the agent
	SearchThinking  SearchKind = "thinking"  // a block of its thinking
	SearchTool      SearchKind = "tool"      // a call of a tool
	SearchResult    SearchKind = "result"    // the result of a call
)

// SearchKinds are all kinds, in stored order: append only.
var SearchKinds = []SearchKind{SearchUser, SearchAssistant, SearchThinking, SearchTool, SearchResult}

// SearchFound answers [Search].
type SearchFound struct {
	answer
	Hits  []SearchHit
	Total int    // of all pages
	Next  string // selects the next page; empty = this is the last one

	Behind  uint64    // events that are not yet indexed
	Damaged int       // sessions with a history that is known to be unreadable
	Dropped time.Time // older parts may be missing, because the index is bounded; zero = none are
}

// SearchHit is a part of a history that matches.
type SearchHit struct {
	Session   SessionID
	Name      string // of the session, or its title
	Directory string // of the session
	Seq       Seq    // of the first event of the part
	At        time.Time
	Kind      SearchKind
	Tool      string // of a call or its result
	Snippet   string // one line of the part, around its matches
	Matches   []TextRange
	Score     float64 // higher is better; 0 when ordered by time
}

// TextRange is a part of a text, in bytes.
type TextRange struct{ Start, End int }

// GetDigest asks for a summary of all sessions since a time. It is answered on the caller's goroutine with [Digest].
type GetDigest struct {
	ask
	Since     time.Time
	Directory string // only sessions that work here or below; absolute; empty = any
	Limit     int    // of sessions
}

// Digest answers [GetDigest].
type Digest struct {
	answer
	Since, Until time.Time
	Sessions     []SessionDigest // most recently changed first
	More         int             // further sessions
}

// SessionDigest is a summary of one session.
type SessionDigest struct {
	Session   SessionID
	Name      string // or its title
	Directory string
	Parent    SessionID

	First, Last Seq
	LastAt      time.Time
	Messages    int // of users
	Turns       int
	Failed      int // of the turns
	LastError   string
	CostUSD     float64
	Files       []string // changed by tools; only those to show
	FilesTotal  int
	Decisions   []DigestDecision // only those to show
	Decided     int
	Undecided   int
	LastText    string   // the beginning of the last text of the agent
	Notices     []string // codes
	Partial     bool     // only the newest events were read
}

// DigestDecision is the decision about a request of an agent.
type DigestDecision struct {
	Request string // text of the request; empty if the request is older
	Outcome string // allowed, denied, expired, withdrawn or answered
	By      string
	At      time.Time
}

// SessionOutline is what the journal knows about a session without reading its records.
type SessionOutline struct {
	ID        SessionID
	Name      string
	Title     string // of its first prompt
	Directory string
	Parent    SessionID // of a subagent
	Head      Seq
	LowWater  Seq // events up to here are trimmed
	UpdatedAt time.Time
	Damaged   bool // its records cannot be read
}

// In reports whether the session works in a directory or below it; empty = any.
func (o SessionOutline) In(directory string) bool {
	if directory == "" {
		return true
	}
	relative, err := filepath.Rel(directory, o.Directory)
	return err == nil && filepath.IsLocal(relative)
}
