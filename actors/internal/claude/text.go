package claude

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the parts of one event. The wire's limit is 4 MiB; see
// TestNoEventIsTooLarge.
const (
	maxID      = 1 << 10  // ids, names, codes
	maxNotice  = 16 << 10 // texts around the conversation
	maxError   = 64 << 10
	maxRaw     = 64 << 10
	maxChunk   = 1 << 20 // one TextDelta
	maxOutput  = 1 << 20 // one ToolCallResult
	maxInput   = 3 << 20 // the arguments of a tool call
	maxPlan    = 1 << 20
	maxList    = 1000    // ids in one list
	maxPreview = 1 << 10 // of a text, for lists
)

// cut returns the longest prefix of s that has at most n bytes and ends with a
// whole character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// short bounds an id, a name or a code.
func short(s string) string { return cut(s, maxID) }

// chunks splits s so that no piece is longer than maxChunk; "" is one piece.
func chunks(s string) []string {
	if len(s) <= maxChunk {
		return []string{s}
	}
	var all []string
	for len(s) > 0 {
		piece := cut(s, maxChunk)
		all = append(all, piece)
		s = s[len(piece):]
	}
	return all
}

// oneLine formats s for one line of a screen: white space becomes one space,
// control characters are removed, and a text longer than n bytes ends with "…".
func oneLine(s string, n int) string {
	s = cut(s, 4*n+utf8.UTFMax)
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(s) <= n {
		return s
	}
	return cut(s, n-len("…")) + "…"
}

// code makes a stable code of a name that the agent gives: "rate_limit" → "RATE_LIMIT".
func code(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, cut(s, 64))
}

// clampInt converts a number of the agent: not a number, negative and huge ones become the
// nearest value that fits.
func clampInt[T uint32 | uint64 | int](f float64, most T) T {
	switch {
	case !(f > 0):
		return 0
	case f >= float64(most):
		return most
	}
	return T(f)
}
