package callers

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// floodScenarios attack the claims of docs/security.md about doors, how much and how often.
var floodScenarios = []siege.Scenario{
	{Name: "doors: bombs", Env: siege.Listening, Attack: attackBombs},
	{Name: "doors: floods of refused calls", Env: siege.Listening, Attack: attackFloods},
	{Name: "doors: silent connections", Env: siege.Listening, Attack: attackSilence},
	{Name: "doors: expensive checks", Env: siege.Listening, Attack: attackChecks},
}

// attackBombs sends compressed requests that are large when they are decompressed, as the
// finding had it: it took 2.4 GB.
func attackBombs(s *siege.Siege) {
	const each, callers, bound = 60 << 20, 16, 256 << 20
	address, viewer := s.Address(), s.Secret(s.Token("viewer", "view"))
	request := bomb(each)
	for _, attack := range []struct{ name, method, token string }{
		{"without a token, to a health check", "/grpc.health.v1.Health/Check", ""},
		{"without a token, to a call", "/betcode.v1.AgentService/ListSessions", ""},
		{"with a token that lacks the scope", "/betcode.v1.AdminService/BackupJournal", viewer},
		{"with a token that may call", "/betcode.v1.AgentService/ListSessions", viewer},
	} {
		before := s.PeakMemory()
		var group sync.WaitGroup
		var served atomic.Int32
		for range callers {
			group.Go(func() {
				client := http2Client()
				defer client.CloseIdleConnections()
				if code, err := raw(s, client, address, attack.method, attack.token, request); err == nil && code == "0" {
					served.Add(1)
				}
			})
		}
		group.Wait()
		grown := s.PeakMemory() - before
		s.Held("bombs "+attack.name+" are refused", served.Load() == 0, "%d were served", served.Load())
		s.Held("bombs "+attack.name+" take little memory", grown < bound, "it grew by %d MiB", grown>>20)
	}
	status, err := raw(s, http2Client(), address, "/betcode.v1.AgentService/ListSessions", viewer, bomb(0))
	s.Held("a small compressed request is served", err == nil && status == "0", "status %q, %v", status, err)
}

// attackFloods repeats calls that are refused.
func attackFloods(s *siege.Siege) {
	const calls = 3200
	address := s.Address()
	viewer, decided := s.Remote(address, s.Token("viewer", "view")), decisions(s)
	stranger := s.Remote(address, "")
	before := lines(s)
	var group sync.WaitGroup
	var refused atomic.Int32
	for range 16 {
		group.Go(func() {
			for range calls / 16 {
				if _, err := pb.NewAdminServiceClient(viewer).Shutdown(s, &pb.ShutdownRequest{}); err != nil {
					refused.Add(1)
				}
				if _, err := pb.NewAgentServiceClient(stranger).ListSessions(s, &pb.ListSessionsRequest{}); err != nil {
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	s.Held("each call is refused", refused.Load() == 2*calls, "%d were", refused.Load())
	lines, refusals := lines(s)-before, count(s, "*.refusals.jsonl")
	s.Held("the daemon serves on", !s.Daemon.Ended(), "it has ended")
	s.Held("the log has few lines about it", lines < calls/20, "%d lines for %d calls", lines, 2*calls)
	s.Held("so has the audit log", refusals < calls/20, "%d entries for %d calls", refusals, 2*calls)
	s.Held("and none of them among the decisions", decisions(s)-decided < 20, "%d entries", decisions(s)-decided)
	_, code := s.Cli("session", "list")
	s.Held("the owner is served", code == 0, "exit %d", code)
	_, err := pb.NewAdminServiceClient(viewer).Shutdown(s, &pb.ShutdownRequest{})
	s.Held("a flooding caller is told to wait, or that the scope is missing", status.Code(err) == codes.ResourceExhausted || status.Code(err) == codes.PermissionDenied, "%v", err)
}

// lines are those of the daemon's log so far.
func lines(s *siege.Siege) int { return strings.Count(s.Daemon.Log(), "\n") }

// decisions are the entries of the audit log that are no refusals.
func decisions(s *siege.Siege) int { return count(s, "*.jsonl") - count(s, "*.refusals.jsonl") }

// count counts the entries in files of the audit log.
func count(s *siege.Siege, pattern string) (entries int) {
	files, err := filepath.Glob(filepath.Join(s.World.StateDir(), "audit", pattern))
	s.Must(err, "look for the audit log")
	for _, name := range files {
		raw, err := os.ReadFile(name)
		s.Must(err, "read the audit log")
		entries += strings.Count(string(raw), "\n")
	}
	return entries
}

// attackSilence opens connections that send nothing until the limit is reached.
func attackSilence(s *siege.Siege) {
	address, viewer := s.Address(), s.Token("viewer", "view")
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break // the limit is reached; the next case checks it
		}
		open = append(open, c)
	}
	before := lines(s)
	printed, code := s.Cli("--address", address, "--token-file", viewer, "--socket", "/nowhere/s", "session", "list")
	s.Held("a client with a token gets in beside 300 silent connections", code == 0, "exit %d: %s", code, printed)
	s.Held("they are few lines in the log", before < 100, "%d lines", before)
	closed := make(chan bool, 1)
	go func() { // the last one was not put out to make room for another
		_, err := open[len(open)-1].Read(make([]byte, 1<<10))
		for err == nil {
			_, err = open[len(open)-1].Read(make([]byte, 1<<10))
		}
		closed <- true
	}()
	s.Until("silent connections are closed", func() bool { return len(closed) > 0 })
	s.Held("they are closed by themselves", true, "")
}

// attackChecks starts expensive checks many times at once. A refused one has a reason; grpcapi
// TestOneAtATime shows that two never run at once.
func attackChecks(s *siege.Siege) {
	id := siege.NewSession()
	c := s.Converse("person", id)
	s.Turn(c, "echo:hello")
	viewer := pb.NewAdminServiceClient(s.Remote(s.Address(), s.Token("viewer", "view")))
	var group sync.WaitGroup
	var done, busy, other atomic.Int32
	note := func(err error) {
		switch {
		case err == nil || err.Error() == "EOF":
			done.Add(1)
		case status.Code(err) == codes.ResourceExhausted:
			busy.Add(1)
		default:
			other.Add(1)
		}
	}
	for range 32 {
		group.Go(func() {
			stream, err := viewer.VerifyJournal(s, &pb.VerifyJournalRequest{})
			for err == nil {
				_, err = stream.Recv()
			}
			note(err)
		})
		group.Go(func() {
			stream, err := viewer.TestRules(s, &pb.TestRulesRequest{SessionId: id})
			for err == nil {
				_, err = stream.Recv()
			}
			note(err)
		})
	}
	group.Wait()
	s.Held("each check is done, or refused with a reason", done.Load() > 0 && other.Load() == 0, "done %d, refused %d, failed %d", done.Load(), busy.Load(), other.Load())
}

// bomb is a gRPC request that decompresses to size zeros.
func bomb(size int) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := io.CopyN(zip, siege.Zeros{}, int64(size))
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic(err) // nothing can fail in memory
	}
	frame := binary.BigEndian.AppendUint32([]byte{1}, uint32(packed.Len()))
	return append(frame, packed.Bytes()...)
}

// raw makes a call with an encoded request, and returns the gRPC status.
func raw(s *siege.Siege, client *http.Client, address, method, token string, request []byte) (string, error) {
	r, err := http.NewRequestWithContext(s, http.MethodPost, "http://"+address+method, bytes.NewReader(request))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	r.Header.Set("Grpc-Encoding", "gzip")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return "", err
	}
	if status := answer.Header.Get("Grpc-Status"); status != "" {
		return status, nil
	}
	return answer.Trailer.Get("Grpc-Status"), nil
}

// http2Client is a client of its own, with connections of its own.
func http2Client() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}
