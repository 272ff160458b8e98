package device

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

var began = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func begin(t *testing.T, c *Codes, device, user string) {
	t.Helper()
	if err := c.Begin(began, Asked{Hostname: "laptop", Address: device}, device, user); err != nil {
		t.Fatal(err)
	}
}

func polled(t *testing.T, c *Codes, now time.Time, device string, want State, token string) {
	t.Helper()
	if s, g, err := c.Poll(now, device); err != nil || s != want || g.Token != token {
		t.Errorf("%s: %d %+v %v", device, s, g, err)
	}
}

func TestApprove(t *testing.T) {
	c := &Codes{}
	begin(t, c, "d1", "ABCDEF")
	polled(t, c, began, "d1", Waiting, "")
	if a, err := c.Find(began, "ann", "abc-def"); err != nil || a.Hostname != "laptop" {
		t.Error(a, err)
	}
	for _, login := range []string{"bob", ""} {
		if err := c.Approve(began, login, "ABC-DEF", Grant{Token: "stolen"}); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q approves what ann has opened: %v", login, err)
		}
	}
	if err := c.Approve(began, "ann", "ABC DEF", Grant{Token: "t"}); err != nil {
		t.Error(err)
	}
	for _, decide := range []error{c.Approve(began, "ann", "ABCDEF", Grant{Token: "u"}), c.Deny(began, "ann", "ABCDEF")} {
		if !errors.Is(decide, ErrUnknown) {
			t.Errorf("it is decided twice: %v", decide)
		}
	}
	polled(t, c, began, "d1", Approved, "t")
	if _, _, err := c.Poll(began, "d1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("the token is given twice: %v", err)
	}
}

func TestDenyAndExpire(t *testing.T) {
	c := &Codes{}
	begin(t, c, "d1", "AAAAAA")
	begin(t, c, "d2", "BBBBBB")
	begin(t, c, "d3", "CCCCCC")
	if err := c.Deny(began, "ann", "AAAAAA"); err != nil {
		t.Error(err)
	}
	if err := c.Approve(began, "ann", "CCCCCC", Grant{Token: "t"}); err != nil {
		t.Error(err)
	}
	late := began.Add(Lifetime)
	polled(t, c, late, "d1", Denied, "")
	polled(t, c, late, "d2", Expired, "")
	polled(t, c, late, "d3", Expired, "") // no poll has fetched it
	if err := c.Approve(late, "ann", "BBBBBB", Grant{Token: "t"}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, _, err := c.Poll(began.Add(Kept), "d2"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// The guesses of a login are limited, and do not affect the codes of others.
func TestGuesses(t *testing.T) {
	c := &Codes{}
	begin(t, c, "d1", "ABCDEF")
	for i := range maxWrong {
		if _, err := c.Find(began, "eve", fmt.Sprintf("AAAAA%d", i)); !errors.Is(err, ErrUnknown) {
			t.Error(err)
		}
	}
	if _, err := c.Find(began, "eve", "ABCDEF"); !errors.Is(err, ErrWrong) {
		t.Errorf("a guesser gets in: %v", err)
	}
	if _, err := c.Find(began, "ann", "ABCDEF"); err != nil {
		t.Error(err)
	}
	if _, err := c.Find(began.Add(Lifetime), "eve", "ABCDEF"); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v, after a while", err)
	}
}

func TestBounds(t *testing.T) {
	c := &Codes{}
	for i := range MaxOfAddress {
		if err := c.Begin(began, Asked{Address: "a"}, fmt.Sprint("d", i), fmt.Sprint("u", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Begin(began, Asked{Address: "a"}, "x", "x"); !errors.Is(err, ErrMany) {
		t.Error(err)
	}
	for i := MaxOfAddress; i < MaxCodes; i++ {
		if err := c.Begin(began, Asked{Address: fmt.Sprint(i)}, fmt.Sprint("d", i), fmt.Sprint("u", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Begin(began, Asked{Address: "b"}, "x", "x"); !errors.Is(err, ErrMany) {
		t.Error(err)
	}
	if err := c.Begin(began.Add(Kept), Asked{Address: "a"}, "x", "x"); err != nil {
		t.Errorf("after a while: %v", err)
	}
	if len(c.all) != 1 {
		t.Errorf("%d codes are kept", len(c.all))
	}
}
