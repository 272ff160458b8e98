package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// namedOthers is how many other clients the status names.
const namedOthers = 2

// presence notes who else is attached.
func (m *Model) presence(p *pb.PresenceChange) {
	s := &m.state
	if p.GetComplete() || s.others == nil {
		s.others = map[string]string{}
	}
	for _, id := range p.GetDetached() {
		delete(s.others, id)
	}
	for _, c := range p.GetAttached() {
		if id := c.GetClientId(); id != m.options.Client {
			s.others[id] = console.ClientTo(m.options.Client, id)
		}
	}
}

// others names the other clients of the session; empty if there are none.
func (m *Model) others() string {
	names := slices.Compact(slices.Sorted(maps.Values(m.state.others)))
	if len(names) == 0 {
		return ""
	}
	text := "with " + strings.Join(names[:min(len(names), namedOthers)], ", ")
	if more := len(names) - namedOthers; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// holder names the holder of the input lock.
func (m *Model) holder() string { return console.ClientTo(m.options.Client, m.state.holder) }

// lockRequest names the client that requests the input lock. The holder also reads the commands that answer.
func (m *Model) lockRequest() string {
	requester := console.ClientTo(m.options.Client, m.state.requestedBy)
	switch m.options.Client {
	case m.state.requestedBy:
		return "you asked for the lock"
	case m.state.holder:
		return requester + " asks for the lock: /release or /refuse"
	}
	return requester + " asks for the lock"
}
