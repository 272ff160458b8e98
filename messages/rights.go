package messages

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rights are what a caller may do, as a set.
type Rights uint8

// The rights. Any of them includes the right to view.
const (
	MayView    Rights = 1 << iota // list, show, read events
	MayApprove                    // answer permission requests and questions, grant tools
	MayControl                    // type, start, stop, rename and delete sessions
	MayAdmin                      // the daemon itself: shutdown, backups, trust, tokens, the audit log

	// MayFleet is the right of a session's fleet server: to act on the session's own descendants. No token has it, and no
	// person needs it.
	MayFleet Rights = 1 << 4

	MayEverything = MayView | MayApprove | MayControl | MayAdmin
)

// rightNames are the scopes of a token, in the order of the bits.
var rightNames = []string{"view", "approve", "control", "admin"}

// Has reports whether all of want are among the rights.
func (r Rights) Has(want Rights) bool { return r&want == want }

// Names lists the rights as scopes of a token.
func (r Rights) Names() []string {
	var names []string
	for i, name := range rightNames {
		if r.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names with commas between them.
func (r Rights) String() string { return strings.Join(r.Names(), ",") }

// ParseRights reads scopes. Each has view with it, and admin has everything.
func ParseRights(scopes []string) (Rights, error) {
	var r Rights
	for _, scope := range scopes {
		i := slices.Index(rightNames, scope)
		switch {
		case i < 0:
			return 0, Errorf("read scopes", Invalid, "there is no scope %q", scope).
				WithHint(fmt.Sprintf("the scopes are %s", strings.Join(rightNames, ", ")))
		case scope == "admin":
			r = MayEverything
		default:
			r |= 1<<i | MayView
		}
	}
	if r == 0 {
		return 0, Errorf("read scopes", Invalid, "no scope is given").WithHint("give one or more of " + strings.Join(rightNames, ", "))
	}
	return r, nil
}

// Token describes a token that lets callers in over TCP. Only its owner knows the
// secret.
type Token struct {
	Name      string
	Rights    Rights
	CreatedAt time.Time
	LastUsed  time.Time // to about a minute; zero = never
	ExpiresAt time.Time // zero = until it is revoked
}
