//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

// Environment variables of the floor server.
const (
	envSocket = "BETCODE_BENCH_SOCKET"
	envAgent  = "BETCODE_BENCH_AGENT"
	envDir    = "BETCODE_BENCH_DIR"
)

// floorServer is the smallest possible replacement of the daemon, in a process of its own. A
// session's name defines the stream:
//
//	bytes:N:SIZE   N events of SIZE bytes, encoded once
//	paced:AT:N:RATE:SIZE
//	               N events, RATE a second, beginning at AT (Unix time in
//	               nanoseconds), each with the time it was due as its text
//	lines:PROMPT   what an agent answers to that prompt, by way of a file, a
//	               notice and one transaction for what was read
func floorServer() error {
	listener, err := net.Listen("unix", os.Getenv(envSocket))
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.ForceServerCodecV2(newCodec()))
	pb.RegisterAgentServiceServer(server, bare{dir: os.Getenv(envDir)})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // the server lives until its standard input is closed
		server.Stop()
	}()
	return server.Serve(listener)
}

type bare struct {
	pb.UnimplementedAgentServiceServer
	dir string
}

// ResumeSession implements pb.AgentServiceServer.
func (s bare) ResumeSession(r *pb.ResumeSessionRequest, stream grpc.ServerStreamingServer[pb.AgentEvent]) error {
	verb, rest, _ := strings.Cut(r.GetSessionId(), ":")
	if verb == "lines" {
		return s.lines(rest, stream)
	}
	var n [4]int
	for i, f := range strings.SplitN(rest, ":", len(n)) {
		n[i], _ = strconv.Atoi(f)
	}
	if verb == "paced" {
		return paced(time.Unix(0, int64(n[0])), n[1], time.Second/time.Duration(n[2]), n[3], stream)
	}
	e := eventOfSize(n[1])
	for range n[0] {
		if err := stream.SendMsg(&e); err != nil {
			return err
		}
	}
	return nil
}

// paced sends on a schedule and skips no late event.
func paced(began time.Time, n int, interval time.Duration, size int, stream grpc.ServerStream) error {
	for i := range n {
		due := began.Add(time.Duration(i) * interval)
		time.Sleep(time.Until(due))
		e := eventOf(fmt.Sprintf("%-*s", size, strconv.FormatInt(due.UnixNano(), 10)))
		if err := stream.SendMsg(&e); err != nil {
			return err
		}
	}
	return nil
}

// eventOf is an event as the journal has them.
func eventOf(text string) encoded {
	b, err := proto.Marshal(&pb.AgentEvent{
		Sequence: 1, Timestamp: timestamppb.Now(),
		Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: text, BlockId: "msg_0123456789abcdef/0"}},
	})
	if err != nil {
		panic(err)
	}
	return b
}

// eventOfSize is one of about so many bytes.
func eventOfSize(size int) encoded {
	return eventOf(strings.Repeat("x", max(1, size-len(eventOf(""))-2)))
}

// lines runs an agent and passes its deltas on.
func (s bare) lines(prompt string, stream grpc.ServerStreamingServer[pb.AgentEvent]) error {
	dir, err := os.MkdirTemp(s.dir, "lines")
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(dir, "out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	file, err := os.Open(out.Name())
	if err != nil {
		return err
	}
	defer file.Close()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	notices := os.NewFile(uintptr(fd), "inotify")
	defer notices.Close()
	if _, err := unix.InotifyAddWatch(fd, out.Name(), unix.IN_MODIFY); err != nil {
		return err
	}
	db, err := openBolt(filepath.Join(dir, "bolt"))
	if err != nil {
		return err
	}
	defer db.Close()

	agent := exec.Command(os.Getenv(envAgent))
	agent.Stdout = out
	agent.Stdin = strings.NewReader(fmt.Sprintf(`{"type":"user","uuid":"u","message":{"content":%q}}`+"\n", prompt))
	if err := agent.Start(); err != nil {
		return err
	}
	defer agent.Wait()
	in := bufio.NewReaderSize(file, 1<<20)
	for buffer := make([]byte, 4096); ; {
		if _, err := notices.Read(buffer); err != nil {
			return err
		}
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				break // the agent writes whole lines
			}
			if bytes.Contains(line, []byte(`"type":"result"`)) {
				return nil
			}
			_, text, ok := bytes.Cut(line, []byte(`"text_delta","text":"`))
			if !ok {
				continue
			}
			text, _, _ = bytes.Cut(text, []byte(`"`))
			e := eventOf(string(text))
			if err := commit(db, []encoded{e}); err != nil {
				return err
			}
			if err := stream.SendMsg(&e); err != nil {
				return err
			}
		}
	}
}
