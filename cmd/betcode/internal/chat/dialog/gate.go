package dialog

import "time"

const (
	// Quiet is how long a request must have been on the screen, and the keyboard silent, before a key can answer it.
	Quiet = 400 * time.Millisecond
	// Hold is the time in which no key may follow an answer. Keys of an unmarked paste follow each other faster, and
	// nobody types that fast.
	Hold = 60 * time.Millisecond
)

// Gate decides whether a key was meant as an answer.
type Gate struct {
	shown time.Time // when the request came to the screen
	key   time.Time // when the last key was pressed
}

// Show notes that a request came to the screen.
func (g *Gate) Show(now time.Time) { g.shown = now }

// Press notes a key. It reports whether it may be an answer.
func (g *Gate) Press(now time.Time) bool {
	before := g.key
	g.key = now
	return now.Sub(g.shown) >= Quiet && now.Sub(before) >= Quiet
}

// Readable reports whether the request has been on the screen for a moment.
func (g *Gate) Readable(now time.Time) bool { return now.Sub(g.shown) >= Quiet }
