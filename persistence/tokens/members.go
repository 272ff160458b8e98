package tokens

import (
	"cmp"
	"slices"
	"time"

	"betcode/messages"
)

// maxMembers bounds the members of all sessions together.
const maxMembers = 2000

// member is a member, and a channel that is closed when the membership ends, or its role changes.
type member struct {
	messages.Member
	ended chan struct{}
}

type storedMember struct {
	Session   string    `json:"session"`
	Person    string    `json:"person"`
	Role      string    `json:"role"`
	CreatedAt time.Time `json:"created_at"`
}

// Share makes a person a member of a session, or gives a member another role.
func (s *Store) Share(want messages.Member) error {
	const op = "share session"
	if !nameForm().MatchString(want.Person) {
		return messages.Errorf(op, messages.Invalid, "%q is no name of a person", want.Person).
			WithHint("use the name that the person's login was paired with: betcode gateway pair")
	}
	if want.Role.Rights() == 0 {
		return messages.Errorf(op, messages.Invalid, "there is no role %q", want.Role).WithHint("the roles are viewer and editor")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	want.Since = s.now().UTC().Truncate(time.Second)
	next, old := slices.Clone(s.members), s.memberAt(want.Session, want.Person)
	made := &member{want, make(chan struct{})}
	switch {
	case old < 0 && len(next) >= maxMembers:
		return messages.Errorf(op, messages.Exhausted, "there are %d members of sessions", maxMembers).WithHint("remove those that are not needed")
	case old < 0:
		next = append(next, made)
	case next[old].Role == want.Role:
		return nil
	default:
		made.Since = next[old].Since
		next[old] = made
	}
	slices.SortFunc(next, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Person, b.Person))
	})
	var ended *member
	if old >= 0 {
		ended = s.members[old]
	}
	if err := s.save(s.tokens, next, true); err != nil {
		return err
	}
	if ended != nil {
		close(ended.ended)
	}
	return nil
}

// Unshare ends the membership of a person, or of all people if person is empty.
func (s *Store) Unshare(session messages.SessionID, person string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	var kept, ended []*member
	for _, m := range s.members {
		if m.Session == session && (person == "" || m.Person == person) {
			ended = append(ended, m)
		} else {
			kept = append(kept, m)
		}
	}
	if len(ended) == 0 {
		return messages.Errorf("unshare session", messages.NotFound, "there is no such member")
	}
	if err := s.save(s.tokens, kept, true); err != nil {
		return err
	}
	for _, m := range ended {
		close(m.ended)
	}
	return nil
}

// Members returns the members of a session, or of all sessions if session is empty, who are person, or anybody if
// person is empty.
func (s *Store) Members(session messages.SessionID, person string) ([]messages.Member, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	var all []messages.Member
	for _, m := range s.members {
		if (session == "" || m.Session == session) && (person == "" || m.Person == person) {
			all = append(all, m.Member)
		}
	}
	return all, nil
}

// Membership returns the membership of a person in a session, and a channel that is closed when it ends or
// changes; false if there is none, or if it is not known.
func (s *Store) Membership(session messages.SessionID, person string) (messages.Member, <-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refresh() != nil {
		return messages.Member{}, nil, false
	}
	i := s.memberAt(session, person)
	if i < 0 {
		return messages.Member{}, nil, false
	}
	return s.members[i].Member, s.members[i].ended, true
}

func (s *Store) memberAt(session messages.SessionID, person string) int {
	return slices.IndexFunc(s.members, func(m *member) bool { return m.Session == session && m.Person == person })
}
