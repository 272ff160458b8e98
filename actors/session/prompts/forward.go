package prompts

import (
	"slices"

	"betcode/messages"
)

// Forwarded is an undecided request of a subagent, as the sessions above it show it. The record is a copy: that of the subagent's
// session is the only one that counts.
type Forwarded struct {
	messages.PermissionRecord

	Name string // of the subagent
}

// ID returns the id under which the sessions above the subagent show the request.
func (f Forwarded) ID() messages.RequestID { return messages.ForwardedID(f.Session, f.Request) }

// Waits returns the request with an id in a list, and whether it is there.
func Waits(list []Forwarded, id messages.RequestID) (Forwarded, bool) {
	i := slices.IndexFunc(list, func(f Forwarded) bool { return f.ID() == id })
	if i < 0 {
		return Forwarded{}, false
	}
	return list[i], true
}

// SameForwarded reports whether two lists show people the same.
func SameForwarded(a, b []Forwarded) bool {
	return slices.EqualFunc(a, b, func(a, b Forwarded) bool {
		return a.ID() == b.ID() && a.ExpiresAt.Equal(b.ExpiresAt) && a.Name == b.Name
	})
}

// Shown returns the record under that id.
func (f Forwarded) Shown() messages.PermissionRecord {
	p := f.PermissionRecord
	p.Request, p.Formerly = f.ID(), nil
	return p
}
