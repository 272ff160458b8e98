package auth

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"betcode/messages"
)

// A gateway's socket admits processes of this user that no agent has started.
func TestLocalAdmits(t *testing.T) {
	t.Parallel()
	log := zerolog.Nop()
	for name, c := range map[string]struct {
		uid     int
		below   bool
		unknown error
		refused string // in the error; empty = admitted
		told    bool   // the error is for the client
	}{
		"a person":       {uid: os.Geteuid()},
		"another user":   {uid: os.Geteuid() + 1, refused: "may not connect"},
		"below an agent": {uid: os.Geteuid(), below: true, refused: "agents may only view", told: true},
		"unknown":        {uid: os.Geteuid(), unknown: errors.New("no /proc"), refused: "may only view", told: true},
	} {
		l := NewLocal(func(pid int) (bool, error) {
			if pid != os.Getpid() {
				t.Errorf("%s: process %d is looked up", name, pid)
			}
			return c.below, c.unknown
		}, &log)
		l.credentials.uid = c.uid
		conn, err := l.Admit(connected(t))
		if err == nil {
			conn.Close()
		}
		var e *messages.Error
		if (err == nil) != (c.refused == "") || err != nil && (!strings.Contains(err.Error(), c.refused) || errors.As(err, &e) != c.told) {
			t.Errorf("%s: %v", name, err)
		}
		l.Close()
	}
}

// connected returns the server's end of a Unix socket to this process.
func connected(t *testing.T) net.Conn {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
