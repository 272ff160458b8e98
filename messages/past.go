package messages

import "time"

// Past says what of a session's history is replayed, and what is kept of the
// rest. Two marks move through the history, upwards only: up to Boundary it was
// compacted, and is not replayed but may be exported; up to LowWater it was given
// up, and is not found any more.
type Past struct {
	Boundary   Place // what lies up to here was compacted
	Exchange   Place // the newest complete exchange begins behind it; zero before the first
	Begun      Place // the newest exchange begins behind it, complete or not
	Compaction Compaction

	ContextTokens uint64 // in the model's context after the newest turn
	ContextWindow uint64 // how many there is room for; 0 = not known yet

	Bytes         uint64 // of all events that were ever journaled, from the version on that counts them
	LowWater      Seq    // what lies up to here was given up
	LowWaterBytes uint64 // how much of Bytes that was
}

// Place is a place in the history of a session: behind an event.
type Place struct {
	Seq      Seq    // the event's number, 0 for the beginning
	Messages uint32 // how many messages there are up to it
}

// CompactionPhase says how far a compaction has come. Stored: append only.
type CompactionPhase uint8

// The phases of a compaction. Each beginning gets an end.
const (
	CompactionNone     CompactionPhase = 0 // there never was one
	CompactionUnderWay CompactionPhase = 1 // the agent is asked to summarise its context
	CompactionDone     CompactionPhase = 2 // its boundary is the session's
	CompactionUndone   CompactionPhase = 3 // it failed, and has changed nothing
)

// What caused a compaction.
const (
	CompactionByRequest   = "manual"
	CompactionByThreshold = "auto"
)

// Compaction is the newest compaction of a session.
type Compaction struct {
	Key     string // idempotency key, and the uuid under which the agent is asked
	Phase   CompactionPhase
	Trigger string // CompactionByRequest or CompactionByThreshold
	To      Place  // what becomes the boundary

	MessagesBefore            uint32 // that were replayed when it began
	MessagesAfter             uint32 // that were when it was done
	TokensBefore, TokensAfter uint64 // in the model's context
	Summarized                bool   // the agent has said that it has summarised its context
	Failure                   string // why it was undone, for people
	At                        time.Time
}

// CompactSession asks for a shorter past: the agent summarises its context, if
// it has one, and the history up to the last complete exchange is not replayed
// any more. It is refused while the session is active. Answered with
// [SessionCompacted], after 20 s with what is known by then.
//
// The same key never compacts twice; while a compaction is under way every
// request is for that one.
type CompactSession struct {
	ask
	Session  SessionID
	Key      string // a UUID
	Repeated bool   // the key was used before; set on the way to the session
}

// Target implements [SessionRequest].
func (m CompactSession) Target() SessionID { return m.Session }

// SessionCompacted answers [CompactSession].
type SessionCompacted struct {
	answer
	Done                          bool // false: it is still under way, and the rest is what is expected
	Boundary                      Seq  // what lies up to here is not replayed
	MessagesBefore, MessagesAfter uint32
	TokensBefore, TokensAfter     uint64 // 0 where they are not known
}

// ReadHistory asks for the events of a session behind a number, whether they
// were compacted or not. Answered with [HistoryPage], from the journal, without
// waking the session.
type ReadHistory struct {
	ask
	Session SessionID
	After   Seq
}

// HistoryPage answers [ReadHistory] with the next events, of which there is at
// least one unless there are none. What was given up is passed over. A Gap is what
// could not be read before the first of them; its To is then never 0 unless there
// are none.
type HistoryPage struct {
	answer
	Events []Event
	Gap    *HistoryGap
}
