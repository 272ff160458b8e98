package messages

import (
	"slices"
	"strings"
	"time"
)

// Rights are what a caller may do, as a set.
type Rights uint8

// The rights. Each of the first four includes the right to view.
const (
	MayView    Rights = 1 << iota // list and show sessions, read events
	MayApprove                    // answer permission requests and questions, grant tools
	MayControl                    // type, start, stop, rename and delete sessions
	MayAdmin                      // the daemon itself: shutdown, backups, trust, tokens, the audit log

	// MayFleet is the right of a session's fleet server to act on the session's descendants. No token has it.
	MayFleet Rights = 1 << 4

	// MayProxy is the right of a proxy to register sessions whose agents run under it. It does not include the right to
	// view.
	MayProxy Rights = 1 << 5

	MayEverything = MayView | MayApprove | MayControl | MayAdmin
)

// rightNames are the scopes of a token, in the order of the bits; empty where no scope has the bit.
var rightNames = []string{"view", "approve", "control", "admin", "", "proxy"}

const scopeList = "view, approve, control, admin, proxy"

// Has reports whether all of want are among the rights.
func (r Rights) Has(want Rights) bool { return r&want == want }

// Names returns the rights as scopes of a token.
func (r Rights) Names() []string {
	var names []string
	for i, name := range rightNames {
		if name != "" && r.Has(1<<i) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names with commas between them.
func (r Rights) String() string { return strings.Join(r.Names(), ",") }

// ParseRights converts scopes to rights. Each scope except proxy includes view, and admin
// includes everything.
func ParseRights(scopes []string) (Rights, error) {
	var r Rights
	for _, scope := range scopes {
		i := slices.Index(rightNames, scope)
		switch {
		case i < 0, scope == "":
			return 0, Errorf("read scopes", Invalid, "there is no scope %q", scope).
				WithHint("the scopes are " + scopeList)
		case scope == "admin":
			r |= MayEverything
		case scope == "proxy":
			r |= MayProxy
		default:
			r |= 1<<i | MayView
		}
	}
	if r == 0 {
		return 0, Errorf("read scopes", Invalid, "no scope is given").WithHint("give one or more of " + scopeList)
	}
	return r, nil
}

// Token describes an access token, without its secret.
type Token struct {
	Name      string
	Rights    Rights
	CreatedAt time.Time
	LastUsed  time.Time // accurate to about a minute; zero = never
	ExpiresAt time.Time // zero = until it is revoked

	// Person is the owner of the token. If empty, it is the token's name, or for a signed token the daemon's user.
	// Tokens of one person can list and revoke one another's signed tokens.
	Person string
	// ID is the jti of a signed token, a UUID; empty for a token with a random secret.
	ID string
	// Title is the name of a signed token for people.
	Title string
	// Shared limits the token to sessions of which its person is a [Member].
	Shared bool
}

// Role is what a member may do in a session.
type Role string

// The roles of members. A caller with [MayAdmin] owns every session.
const (
	RoleViewer Role = "viewer" // view the session
	RoleEditor Role = "editor" // also type, answer, interrupt and stop, within the rights of the token
)

// Rights returns the rights that a role allows a token; 0 for an unknown role.
func (r Role) Rights() Rights {
	switch r {
	case RoleViewer:
		return MayView
	case RoleEditor:
		return MayView | MayApprove | MayControl
	}
	return 0
}

// Member is a person with whom a session is shared. It matters for tokens that are limited to shared sessions.
type Member struct {
	Session SessionID
	Person  string
	Role    Role
	Since   time.Time
}
