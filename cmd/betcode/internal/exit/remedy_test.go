package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

// An error of the file system that has no hint gets one that names the file. A hint that is
// there stays alone.
func TestExplainNamesTheRemedy(t *testing.T) {
	open := func(cause error) error { return &fs.PathError{Op: "open", Path: "/state/log", Err: cause} }
	socket := &net.OpError{Op: "listen", Net: "unix", Addr: &net.UnixAddr{Name: "/run/s", Net: "unix"}, Err: os.NewSyscallError("bind", syscall.EROFS)}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"read-only":    {fmt.Errorf("start daemon: %w", open(syscall.EROFS)), "Hint: the file system of /state is mounted read-only"},
		"full":         {open(syscall.ENOSPC), "Hint: free some room on the file system of /state"},
		"quota":        {open(syscall.EDQUOT), "Hint: free some room"},
		"no right":     {open(syscall.EACCES), "ls -ld '/state/log' '/state'"},
		"a socket":     {socket, "Hint: the file system of /run is mounted read-only"},
		"a link":       {&os.LinkError{Op: "rename", Old: "/a", New: "/b/c", Err: syscall.EROFS}, "the file system of /b"},
		"another":      {open(syscall.EIO), ""},
		"no file":      {syscall.EROFS, ""},
		"not of files": {errors.New("broken"), ""},
	} {
		got := Explain(test.err)
		if test.want == "" && got != test.err.Error() || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	hinted := (&messages.Error{Op: "listen", Kind: messages.Unavailable, Err: open(syscall.EROFS)}).WithHint("use another one")
	if got := Explain(hinted); strings.Count(got, "Hint") != 1 || !strings.HasSuffix(got, "use another one") {
		t.Errorf("%s", got)
	}
}

// The message for a connection that breaks during a call is more than the error of the transport;
// an error of the daemon is printed unchanged.
func TestExplainBrokenConnection(t *testing.T) {
	raw := status.Error(codes.Unavailable, "error reading from server: connection reset by peer")
	if got := Explain(raw); !strings.Contains(got, "betcode daemon status") || !strings.Contains(got, "connection reset by peer") || Code(raw) != Connection {
		t.Errorf("exit %d: %s", Code(raw), got)
	}
	own, err := status.New(codes.Unavailable, "the daemon is stopping").WithDetails(&errdetails.ErrorInfo{Domain: "betcode", Reason: "SHUTTING_DOWN"})
	if err != nil {
		t.Fatal(err)
	}
	if got := Explain(own.Err()); got != "the daemon is stopping" {
		t.Errorf("%s", got)
	}
}
