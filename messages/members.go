package messages

import "time"

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
