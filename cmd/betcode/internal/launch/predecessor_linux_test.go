package launch

import (
	"os"
	"testing"
)

// TestServiceGroup: the group of a daemon is that of its service, also if the unit names a group below it.
func TestServiceGroup(t *testing.T) {
	const slice = "/user.slice/user-7.slice/user@7.service/app.slice/"
	for groups, want := range map[string]string{
		"0::" + slice + "betcode.service\n":        slice + "betcode.service",
		"0::" + slice + "betcode.service/daemon\n": slice + "betcode.service",
		"1:name=systemd:/x\n0::/init.scope\n":      "/init.scope",
		"1:name=systemd:/x\n":                      "",
		"":                                         "",
	} {
		if got := serviceGroup(groups); got != want {
			t.Errorf("%q: %q, want %q", groups, got, want)
		}
	}
	if InUnit(os.Getpid(), "betcode-of-nobody.service") {
		t.Error("this process is in a unit that does not exist")
	}
}
