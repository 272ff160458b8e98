package portal

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
)

var errConflict = errors.New("this person is a member already")

// memberRow is a member of a session in the form of the API.
type memberRow struct {
	User      string `json:"user_id"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Role      string `json:"role"`
	CreatedAt string `json:"created_at"`
}

func personID(person string) string { return uuid.NewSHA1(people, []byte(person)).String() }

func (c call) member(person, role, since string) memberRow {
	of := Caller{Person: person}
	return memberRow{personID(person), c.email(of), of.name(), role, since}
}

func (c call) memberRow(m *pb.Member) memberRow {
	return c.member(m.GetPerson(), m.GetRole(), naive(m.GetCreatedAt().AsTime()))
}

// listMembers lists the owner, the caller, and the people with whom a session is shared.
func listMembers(c call) (any, error) {
	found, err := c.session()
	if err != nil {
		return nil, err
	}
	shared, err := c.daemon.Members(c, found.Summary.GetId())
	if err != nil {
		return nil, err
	}
	since := naive(found.Summary.GetCreatedAt().AsTime())
	rows := []memberRow{c.member("", "owner", since)}
	if !c.caller.Shared && c.caller.Person != "" {
		rows = append(rows, c.member(c.caller.Person, c.caller.role(), since))
	}
	for _, m := range shared {
		if !c.caller.Shared && m.GetPerson() == c.caller.Person {
			continue
		}
		rows = append(rows, c.memberRow(m))
	}
	return map[string]any{"members": rows}, nil
}

// addMember shares a session with the person of a login. The field that pages call email is the name
// of the person, with or without a host.
func addMember(c call) (any, error) {
	var body struct {
		Email string `json:"email"`
		Role  string `json:"role"`
	}
	found, members, err := c.owned()
	if err != nil {
		return nil, err
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	person, _, _ := strings.Cut(body.Email, "@")
	if slices.ContainsFunc(members, func(m *pb.Member) bool { return m.GetPerson() == person }) {
		return nil, errConflict
	}
	known, err := c.daemon.AccessTokens(c)
	if err != nil {
		return nil, err
	}
	if person == "" || !slices.ContainsFunc(known, func(t *pb.AccessToken) bool { return t.GetPerson() == person }) {
		return nil, ErrNotFound
	}
	made, err := c.daemon.Share(c, found.Summary.GetId(), person, body.Role)
	if err != nil {
		return nil, err
	}
	return created{c.memberRow(made)}, nil
}

func changeMember(c call) (any, error) {
	var body struct {
		Role string `json:"role"`
	}
	found, member, err := c.named()
	if err != nil {
		return nil, err
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	changed, err := c.daemon.Share(c, found.Summary.GetId(), member.GetPerson(), body.Role)
	if err != nil {
		return nil, err
	}
	return c.memberRow(changed), nil
}

func removeMember(c call) (any, error) {
	found, member, err := c.named()
	if err != nil {
		return nil, err
	}
	return http.StatusNoContent, c.daemon.Unshare(c, found.Summary.GetId(), member.GetPerson())
}

// owned returns the session of the path and its members, if the caller owns it.
func (c call) owned() (Session, []*pb.Member, error) {
	found, err := c.session()
	if err != nil {
		return Session{}, nil, err
	}
	if c.caller.role() != "owner" {
		return Session{}, nil, ErrDenied
	}
	members, err := c.daemon.Members(c, found.Summary.GetId())
	return found, members, err
}

// named returns the session and the member of the path. It refuses the owner, who cannot be changed.
func (c call) named() (Session, *pb.Member, error) {
	found, members, err := c.owned()
	if err != nil {
		return Session{}, nil, err
	}
	id := c.request.PathValue("user")
	for _, m := range members {
		if personID(m.GetPerson()) == id {
			return found, m, nil
		}
	}
	if id == personID("") || id == c.caller.id() {
		return Session{}, nil, fmt.Errorf("%w: an owner stays one", ErrInvalid)
	}
	return Session{}, nil, ErrNotFound
}
