package device

import (
	"errors"
	"strings"
	"time"
)

// The bounds of codes.
const (
	Lifetime     = 5 * time.Minute  // of a code
	Kept         = 10 * time.Minute // after its beginning, how long a program can poll how its code ended
	MaxCodes     = 256
	MaxOfAddress = 16
	maxWrong     = 5 // wrong codes that a login may enter within a Lifetime
	maxLogins    = 1024
)

// Alphabet has the characters of a user code, of which no two look alike. With five tries in five minutes, its 30^6
// codes cannot be guessed within the lifetime of a code.
const Alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ234567"

// The errors of [Codes].
var (
	ErrUnknown = errors.New("there is no such code, or it has expired")
	ErrMany    = errors.New("too many codes wait for an answer")
	ErrWrong   = errors.New("too many wrong codes")
)

// State is the state of a code.
type State uint8

// The states of a code.
const (
	Waiting State = iota
	Approved
	Denied
	Expired
)

// Asked is what a program reports about itself, unchecked.
type Asked struct {
	Hostname  string
	Directory string
	Address   string // of the request
}

// Grant is what a program gets.
type Grant struct{ Token, UserID, Email string }

// Code is one request for a token.
type Code struct {
	Asked
	Device, User string
	Began        time.Time

	login string // login to which it is bound; empty = not entered yet
	state State
	grant Grant
}

// Codes are the requests of a portal. The zero value has none. It is not safe for concurrent use.
type Codes struct {
	all   []*Code
	wrong map[string]tries // by login
}

// tries are wrong codes of a login.
type tries struct {
	count int
	since time.Time
}

// Begin adds a code. The texts are random: device has 32 characters, user six of [Alphabet].
func (c *Codes) Begin(now time.Time, asked Asked, device, user string) error {
	c.expire(now)
	same := 0
	for _, k := range c.all {
		if k.User == user || k.Device == device {
			return ErrMany // a collision is handled like a full table
		}
		if k.Address == asked.Address {
			same++
		}
	}
	if len(c.all) >= MaxCodes || same >= MaxOfAddress {
		return ErrMany
	}
	c.all = append(c.all, &Code{Asked: asked, Device: device, User: user, Began: now})
	return nil
}

// Find returns the waiting code that a person has entered, and binds it to the login.
func (c *Codes) Find(now time.Time, login, user string) (Asked, error) {
	k, err := c.find(now, login, user)
	if err != nil {
		return Asked{}, err
	}
	return k.Asked, nil
}

// Approve approves a code for the login that it is bound to, or that enters it now. A code is decided only once.
func (c *Codes) Approve(now time.Time, login, user string, g Grant) error {
	k, err := c.find(now, login, user)
	if err == nil {
		k.state, k.grant = Approved, g
	}
	return err
}

// Deny denies a code for the login that it is bound to, or that enters it now.
func (c *Codes) Deny(now time.Time, login, user string) error {
	k, err := c.find(now, login, user)
	if err == nil {
		k.state = Denied
	}
	return err
}

// Poll returns the state of a code to the program that began it. The grant is returned only once.
func (c *Codes) Poll(now time.Time, device string) (State, Grant, error) {
	c.expire(now)
	for i, k := range c.all {
		if k.Device != device {
			continue
		}
		if k.state == Approved {
			c.all = append(c.all[:i:i], c.all[i+1:]...)
		}
		return k.state, k.grant, nil
	}
	return 0, Grant{}, ErrUnknown
}

// find returns the waiting code for a login. Decided codes and those of other logins are unknown.
func (c *Codes) find(now time.Time, login, user string) (*Code, error) {
	c.expire(now)
	if c.wrong[login].count >= maxWrong {
		return nil, ErrWrong
	}
	for _, k := range c.all {
		if k.User == Canonical(user) && k.state == Waiting && (k.login == "" || k.login == login) {
			k.login = login
			return k, nil
		}
	}
	c.miss(now, login)
	return nil, ErrUnknown
}

// miss counts a wrong code. A full table refuses further logins: people alone never fill it.
func (c *Codes) miss(now time.Time, login string) {
	if c.wrong == nil {
		c.wrong = map[string]tries{}
	}
	t, known := c.wrong[login]
	switch {
	case !known && len(c.wrong) >= maxLogins:
		return
	case !known:
		t.since = now
	}
	t.count++
	c.wrong[login] = t
}

// expire removes expired codes and tries.
func (c *Codes) expire(now time.Time) {
	kept := c.all[:0:0]
	for _, k := range c.all {
		if now.Sub(k.Began) >= Kept {
			continue
		}
		if now.Sub(k.Began) >= Lifetime && k.state != Denied {
			k.state, k.grant = Expired, Grant{}
		}
		kept = append(kept, k)
	}
	c.all = kept
	for login, t := range c.wrong {
		if now.Sub(t.since) >= Lifetime {
			delete(c.wrong, login)
		}
	}
}

// Canonical returns a user code as it is stored: people write it with and without the dash.
func Canonical(user string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(user))
}

// Shown returns a user code for people.
func Shown(user string) string {
	if len(user) != 6 {
		return user
	}
	return user[:3] + "-" + user[3:]
}
