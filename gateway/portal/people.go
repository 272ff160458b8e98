package portal

import (
	"cmp"

	"github.com/google/uuid"
)

// people is the namespace of ids of people, which are derived from their names, as in the claims of their tokens.
var people = uuid.MustParse("5a1de0b2-3a0f-5c39-9f4e-bb0a2d1c7e55")

// developer is the user of dev mode, as other servers name it.
const developer = "testing@testing.local"

func (c Caller) id() string { return uuid.NewSHA1(people, []byte(c.Person)).String() }

func (s *Server) email(c Caller) string {
	switch {
	case s.options.Dev:
		return developer
	case c.Person == "":
		return "user@" + s.options.Hostname
	}
	return c.Person + "@" + s.options.Hostname
}

// name returns the name of the caller for people.
func (c Caller) name() string { return cmp.Or(c.Person, "user") }

func me(c call) (any, error) {
	return map[string]any{
		"id": c.caller.id(), "email": c.email(c.caller), "name": c.caller.name(), "avatar_url": nil, "is_admin": c.caller.may("admin"),
		"voice_enabled": c.voices.Enabled() && c.caller.may("control"),
	}, nil
}
