package local

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"betcode/messages"
)

func TestIsPipe(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		`\\.\pipe\betcode-daemon-alice`:  true,
		`\\.\PIPE\betcode-daemon-alice`:  true, // names there have no case
		`\\.\pipe\`:                      false,
		`\\server\pipe\betcode-daemon-a`: false, // of another machine
		`/run/user/1000/betcode/daemon`:  false,
		`C:\Users\a\daemon.sock`:         false,
		"":                               false,
	} {
		if got := IsPipe(address); got != want {
			t.Errorf("%q is a pipe: %t", address, got)
		}
	}
}

// TestDescriptor checks the order of the entries, since one that denies counts only before
// those that allow, and that the list is protected (P), since it would inherit otherwise.
func TestDescriptor(t *testing.T) {
	t.Parallel()
	const sid = "S-1-5-21-1-2-3-1001"
	if got := Descriptor(sid); got != "O:"+sid+"D:P(D;;GA;;;NU)(A;;GA;;;"+sid+")" {
		t.Errorf("the descriptor is %s", got)
	}
	if entries := strings.Count(Descriptor(sid), "(A;"); entries != 1 {
		t.Errorf("%d entries allow access", entries)
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := Dial(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if runtime.GOOS == "windows" {
		return
	}
	_, err = Dial(context.Background(), `\\.\pipe\betcode`)
	if _, again := ListenPipe(`\\.\pipe\betcode`); messages.KindOf(err) != messages.Unimplemented || messages.KindOf(again) != messages.Unimplemented {
		t.Errorf("%v, %v", err, errors.Unwrap(again))
	}
}
