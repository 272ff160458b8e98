package messages

import "time"

// Role is what a member of a session may do in it.
type Role string

// The roles of members. A caller with [MayAdmin] owns every session.
const (
	RoleViewer Role = "viewer" // see it
	RoleEditor Role = "editor" // and type, answer, interrupt and stop, as far as the token may
)

// Rights returns the rights that a role leaves to a token; 0 if there is no such role.
func (r Role) Rights() Rights {
	switch r {
	case RoleViewer:
		return MayView
	case RoleEditor:
		return MayView | MayApprove | MayControl
	}
	return 0
}

// Member is a person with whom a session is shared. It counts for tokens that are limited to shared sessions.
type Member struct {
	Session SessionID
	Person  string
	Role    Role
	Since   time.Time
}
