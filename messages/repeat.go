package messages

import "time"

const (
	// MaxRepeats bounds the prompts that one message causes, and is the default.
	MaxRepeats = 50
	// RepeatMarker is the default answer that ends a repetition.
	RepeatMarker = "DONE"
	// MaxRepeatedText bounds a repeated message, in bytes. Its text is in the session's record, which is written often.
	MaxRepeatedText = 32 << 10
	// MaxMarker bounds a marker, in characters.
	MaxMarker = 64
)

// Repeat asks the daemon to send a message again after each turn that answers it.
type Repeat struct {
	Max    uint32 // prompts at most, the first included; 0 = [MaxRepeats]
	Marker string // the whole answer that ends it; empty = [RepeatMarker]
}

// Repetition is the part of a [SessionRecord] about a message that is being repeated. Zero means none.
type Repetition struct {
	Key     string // of the message; [InputRecord].Key of its first prompt
	Client  ClientID
	Content string // of each prompt
	Max     uint32
	Marker  string
	Sent    uint32 // accepted prompts; the agent is answering the newest
	Since   time.Time
}

// Active reports whether a message is being repeated.
func (r Repetition) Active() bool { return r.Key != "" }

// StopRepeat ends the repetition of a message. The running turn is not interrupted. It needs no lock, like
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
