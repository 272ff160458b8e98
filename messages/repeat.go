package messages

import "time"

const (
	// MaxRepeats is how many prompts one message causes at most, and without a limit of its own.
	MaxRepeats = 50
	// RepeatMarker is the answer that ends a repetition, unless its client chooses another one.
	RepeatMarker = "DONE"
	// MaxRepeatedText bounds a message that is repeated, in bytes: its text is in the session's record, which is written often.
	MaxRepeatedText = 32 << 10
	// MaxMarker bounds a marker, in characters.
	MaxMarker = 64
)

// Repeat asks that a message is sent again after each turn that answers it.
type Repeat struct {
	Max    uint32 // prompts at most, the first included; 0 = [MaxRepeats]
	Marker string // the whole answer that ends it; empty = [RepeatMarker]
}

// Repetition is the part of a [SessionRecord] about a message that is being repeated. The zero value is none.
type Repetition struct {
	Key     string // of the message; [InputRecord].Key of its first prompt
	Client  ClientID
	Content string // of each prompt
	Max     uint32
	Marker  string
	Sent    uint32 // prompts that were accepted; the newest is being answered
	Since   time.Time
}

// Active reports whether a message is being repeated.
func (r Repetition) Active() bool { return r.Key != "" }

// StopRepeat ends the repetition of a message. The turn that runs is not interrupted. It needs no lock: as
// [CancelTurn] with Force. Answered with [RepeatStopped].
type StopRepeat struct {
	ask
	Session SessionID
	Client  ClientID
}

// RepeatStopped answers [StopRepeat].
type RepeatStopped struct {
	answer
	WasRepeating bool
	Iteration    uint32 // the last one; 0 unless WasRepeating
}

// Target implements [SessionRequest].
func (m StopRepeat) Target() SessionID { return m.Session }
