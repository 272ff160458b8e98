package auth

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// A connection from a process of another user is refused and logged.
func TestOtherUserIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not report the user of a connection")
	}
	directory, err := os.MkdirTemp("/tmp", "bc") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(directory)
	l, err := net.Listen("unix", filepath.Join(directory, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var log bytes.Buffer
	logger := zerolog.New(&log)
	notes := newSummaries(func(string, map[refusal]int) {})
	defer notes.close()
	for uid, refused := range map[int]bool{os.Geteuid(): false, 54321: true} {
		client, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		credentials := newUnixCredentials(nil, &logger, notes)
		credentials.uid = uid
		conn, info, err := credentials.ServerHandshake(server)
		if (err != nil) != refused {
			t.Errorf("a daemon of user %d: %v", uid, err)
		}
		if err == nil {
			if peer := info.(AuthInfo).Peer; peer.PID != os.Getpid() || peer.UID != os.Geteuid() {
				t.Errorf("the caller is %+v", peer)
			}
			conn.Close()
		}
		server.Close()
		client.Close()
	}
	if !strings.Contains(log.String(), "connection of another user refused") {
		t.Errorf("the refusal was not logged: %s", &log)
	}
}
