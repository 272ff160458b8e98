package proxy

import (
	"slices"

	"github.com/google/uuid"
)

// Checkpoint is the stored state of a proxy. Without it all lines are sent again, under the same numbers.
type Checkpoint struct {
	Lineage   string `json:"lineage"`   // of the journal that the numbers come from
	Base      uint64 `json:"base"`      // added to all numbers; rises when the journal was restored
	Reserved  uint64 `json:"reserved"`  // no line with a higher number was sent
	Acked     uint64 `json:"acked"`     // lines up to this number are stored at the backend
	After     uint64 `json:"after"`     // last event of the newest turn whose lines are all acknowledged
	Model     string `json:"model"`     // as in the lines at After
	Directory string `json:"directory"` // as in the lines at After
	// Inputs are the keys of the newest inputs of the backend that the session has, oldest first.
	Inputs []string `json:"inputs"`
}

// knownInputs bounds [Checkpoint.Inputs]. It exceeds the unacknowledged inputs that a backend can have sent.
const knownInputs = 4 * maxInputs

// Store stores the checkpoint of one session at one backend.
type Store interface {
	// Load returns the last saved checkpoint, or the zero checkpoint if there is none.
	Load() (Checkpoint, error)
	// Save is durable when it returns.
	Save(Checkpoint) error
}

// knows reports whether the session has an input of the backend.
func (c *Checkpoint) knows(key string) bool { return slices.Contains(c.Inputs, key) }

// learn records an input that the session has. It ignores keys of other clients, which have another UUID version.
func (c *Checkpoint) learn(key string) bool {
	if id, err := uuid.Parse(key); err != nil || id.Version() != keyVersion || c.knows(key) {
		return false
	}
	if len(c.Inputs) >= knownInputs {
		c.Inputs = slices.Clone(c.Inputs[len(c.Inputs)-knownInputs+1:])
	}
	c.Inputs = append(c.Inputs, key)
	return true
}

// restore adapts to a restored journal, whose newest event is head. Sequences repeat then, but
// numbers of lines must not.
func (c *Checkpoint) restore(lineage string, head uint64) {
	c.Lineage, c.Base, c.After, c.Inputs = lineage, c.Reserved, min(c.After, head), nil
}
