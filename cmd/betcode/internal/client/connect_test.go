package client

import (
	"os/user"
	"regexp"
	"testing"

	"betcode/messages"
)

// Two processes never have one id, also if one gets the number of the other: here both are this process.
func TestPerson(t *testing.T) {
	t.Setenv("USER", "lea")
	first, second := Person(), Person()
	if !regexp.MustCompile(`^lea(@[!-~]+)?#[0-9]+\.[a-z2-7]{10}$`).MatchString(first.ID) {
		t.Errorf("id %q", first.ID)
	}
	if first.ID == second.ID {
		t.Errorf("two clients are called %q", first.ID)
	}
	shown, again := messages.ClientID(first.ID).Shown(), messages.ClientID(second.ID).Shown()
	if shown != again || !regexp.MustCompile(`^lea(@[^#:]+)?$`).MatchString(shown) {
		t.Errorf("shown as %q and %q", shown, again)
	}
}

// Jobs of cron and containers often have no USER.
func TestUserName(t *testing.T) {
	account, err := user.Current()
	if err != nil {
		t.Skipf("this user has no account: %v", err)
	}
	for _, c := range []struct{ user, logname, want string }{
		{"lea", "ann", "lea"}, {"", "ann", "ann"}, {"", "", account.Username},
	} {
		t.Setenv("USER", c.user)
		t.Setenv("LOGNAME", c.logname)
		if got := userName(); got != c.want {
			t.Errorf("USER %q, LOGNAME %q: %q, want %q", c.user, c.logname, got, c.want)
		}
	}
}
