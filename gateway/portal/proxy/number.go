package proxy

// linesPerEvent is how many numbers an event has. An event usually completes one or two lines.
const linesPerEvent = 64

// reservation is how many numbers are reserved at once, so that this rarely needs a new checkpoint.
const reservation = 1 << 20

// Number returns the number of a line at a backend: index counts the lines of the event with that
// sequence. It depends only on the journal, so every incarnation of a proxy gives a line the same
// number. Numbers rise, have gaps, and are never 0, which backends consider acknowledged.
func (c Checkpoint) Number(sequence uint64, index int) uint64 {
	if index >= linesPerEvent {
		panic("proxy: an event completed more lines than it has numbers")
	}
	return c.Base + sequence*linesPerEvent + uint64(index) //nolint:gosec // not negative
}
