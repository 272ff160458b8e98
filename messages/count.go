package messages

import "fmt"

// Number lists the number types that [Count] accepts.
type Number interface{ int | int64 | uint32 | uint64 }

// Count returns a number with its noun in singular or plural: "1 session", "2 sessions".
func Count[N Number](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
