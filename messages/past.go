package messages

import "time"

// Past is which part of a session's history is replayed and which is kept. Two watermarks
// only rise. Events up to Boundary are compacted: they are not replayed, but can be
// exported. Events up to LowWater are trimmed: they can no longer be read.
type Past struct {
	Boundary   Place // events up to here are compacted
	Exchange   Place // the newest complete exchange begins after it; zero before the first
	Begun      Place // the newest exchange, complete or not, begins after it
	Compaction Compaction

	ContextTokens uint64 // in the model's context after the newest turn
	ContextWindow uint64 // size of the context in tokens; 0 = not known yet

	Bytes         uint64 // of all events ever journaled, since the version that counts them
	LowWater      Seq    // events up to here are trimmed
	LowWaterBytes uint64 // bytes of the trimmed events
}

// Place is a position in the history of a session, after an event.
type Place struct {
	Seq      Seq    // the event's sequence; 0 = the beginning
	Messages uint32 // number of messages up to it
}

// CompactionPhase is how far a compaction has come. Stored: append only.
type CompactionPhase uint8

// The phases of a compaction. CompactionUnderWay is always followed by CompactionDone or
// CompactionUndone.
const (
	CompactionNone     CompactionPhase = 0 // there was none
	CompactionUnderWay CompactionPhase = 1 // the agent is summarising its context
	CompactionDone     CompactionPhase = 2 // its boundary is the session's boundary
	CompactionUndone   CompactionPhase = 3 // it failed and changed nothing
)

// Causes of a compaction.
const (
	CompactionByRequest   = "manual"
	CompactionByThreshold = "auto"
)

// Compaction is the newest compaction of a session.
type Compaction struct {
	Key     string // idempotency key, and the uuid of the request to the agent
	Phase   CompactionPhase
	Trigger string // CompactionByRequest or CompactionByThreshold
	To      Place  // the future boundary

	MessagesBefore            uint32 // replayed messages when it began
	MessagesAfter             uint32 // replayed messages when it was done
	TokensBefore, TokensAfter uint64 // in the model's context
	Summarized                bool   // the agent has reported that it has summarised its context
	Failure                   string // why it failed, for people
	At                        time.Time
}

// CompactSession compacts a session: the agent summarises its context, if it has one, and
// the history up to the last complete exchange is no longer replayed. It is refused while
// the session is active. Answered with [SessionCompacted], after 20 s at the latest.
//
// The same key never compacts twice. A request during a compaction joins that one.
type CompactSession struct {
	ask
	Session  SessionID
	Key      string // a UUID
	Repeated bool   // the key was used before; the daemon sets it
}

// Target implements [SessionRequest].
func (m CompactSession) Target() SessionID { return m.Session }

// SessionCompacted answers [CompactSession].
type SessionCompacted struct {
	answer
	Done                          bool // false: it is still in progress, and the other fields are estimates
	Boundary                      Seq  // events up to here are not replayed
	MessagesBefore, MessagesAfter uint32
	TokensBefore, TokensAfter     uint64 // 0 = not known
}

// ReadHistory asks for the events of a session after a sequence, compacted or not.
// Answered with [HistoryPage], from the journal, without waking the session.
type ReadHistory struct {
	ask
	Session SessionID
	After   Seq
}

// HistoryPage answers [ReadHistory] with the next events, skipping trimmed ones. Events
// is empty only at the end of the history. Gap is the unreadable part before the first
// event; its To is 0 only if Events is empty.
type HistoryPage struct {
	answer
	Events []Event
	Gap    *HistoryGap
}
