package wire

import "fmt"

// Dialect is a generation of the portal.
type Dialect uint8

// The dialects.
const (
	G1 Dialect = 1 + iota // 1.0: the published document
	G2                    // 2.0 to 2.4
	G3                    // 2.13
)

// String returns the name of the dialect.
func (d Dialect) String() string { return fmt.Sprintf("G%d", uint8(d)) }

// Route is a socket of the portal and a direction.
type Route uint8

// The routes.
const (
	FromProxy Route = iota // /ws/session
	ToProxy                // /ws/session
	FromPage               // /ws/client
	ToPage                 // /ws/client
	FromVoice              // /ws/voice/:session_id
	ToVoice                // /ws/voice/:session_id
)

// String returns the name of the route.
func (r Route) String() string {
	return [...]string{
		"from a proxy", "to a proxy", "from a page", "to a page", "from a voice page", "to a voice page",
	}[r]
}

// dialectOf returns the dialect of a Register, derived from its keys.
func dialectOf(keys members) Dialect {
	has := func(name string) bool { _, ok := keys[name]; return ok }
	switch {
	case has("capabilities"), has("claude_args"):
		return G3
	case has("agent_type"), has("hostname"):
		return G2
	}
	return G1
}
