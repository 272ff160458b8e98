package siege

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"betcode/tests/kit"
)

// Listening is the environment of a daemon that listens on TCP.
var Listening = []string{"BETCODE_LISTEN_TCP=127.0.0.1:0"}

// Address is where the daemon listens on TCP.
func (s *Siege) Address() string {
	address, err := s.Daemon.TCPAddress()
	s.Must(err, "find the address of the daemon")
	return address
}

// Token creates a token and returns its file.
func (s *Siege) Token(name string, scopes ...string) string {
	path := filepath.Join(s.World.Root, name+".token")
	args := []string{"token", "create", name, "--output", path}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	if printed, code := s.Cli(args...); code != 0 {
		s.Fail("make a token: exit %d: %s", code, printed)
	}
	return path
}

// Secret is the token in a file.
func (s *Siege) Secret(file string) string {
	raw, err := os.ReadFile(file)
	s.Must(err, "read a token")
	return strings.TrimSpace(string(raw))
}

// bearer puts a token into every call.
type bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (bearer) RequireTransportSecurity() bool { return false }

// Remote connects over TCP with the token of a file, or with none.
func (s *Siege) Remote(address, token string) *grpc.ClientConn {
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), kit.Calls()}
	if token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(s.Secret(token))))
	}
	conn, err := grpc.NewClient(address, options...)
	s.Must(err, "connect over TCP")
	s.Later(func() { conn.Close() })
	return conn
}

type Zeros struct{}

// Read implements io.Reader.
func (Zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// PeakMemory returns the peak memory of the daemon, in bytes.
func (s *Siege) PeakMemory() int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Daemon.PID()))
	s.Must(err, "look at the daemon's memory")
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	s.Must(err, "read the daemon's memory")
	return kilobytes << 10
}
