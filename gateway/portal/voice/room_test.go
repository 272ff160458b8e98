package voice

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"betcode/gateway/portal/wire"
)

const (
	session = wire.UUID("0b0e8a10-0000-4000-8000-00000000000a")
	other   = wire.UUID("0b0e8a10-0000-4000-8000-00000000000b")
	script  = "scripted-recogniser"
	wait    = time.Minute // for operations that take milliseconds
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == script {
		scripted(os.Args[2])
		return
	}
	goleak.VerifyTestMain(m)
}

// scripted is a recogniser whose argument selects its behaviour.
func scripted(what string) {
	name, arg, _ := strings.Cut(what, ":")
	switch name {
	case "count": // an interim result, then the number of bytes read
		fmt.Println(`{"text":"listening","final":false,"confidence":0.25}`)
		n, _ := io.Copy(io.Discard, os.Stdin)
		fmt.Printf("{\"text\":\"heard %d\",\"final\":true,\"confidence\":0.5}\n", n)
	case "environment":
		_, _ = io.Copy(io.Discard, os.Stdin)
		all := os.Environ()
		slices.Sort(all)
		for _, v := range all {
			fmt.Println(v)
		}
	case "escapes":
		fmt.Println("\x1b[2Jred \x1b]0;title\x07\u202eevil\u200b\tend")
		fmt.Println(`{"text":"\u001b[31mjson\u0000","final":true}`)
		fmt.Println(`{"text":7}`)
		fmt.Println("{nonsense")
	case "flood":
		line := append(bytes.Repeat([]byte("x"), 1<<16), '\n')
		for range 1600 { // 100 MB
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
	case "many":
		for i := range 5000 {
			fmt.Println(i)
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "no model\x1b[2J")
		os.Exit(3)
	case "deaf": // reads nothing, and ends when it is killed; its child too
		child := exec.Command("sleep", "1000")
		child.Stdout = os.Stdout
		if err := child.Start(); err == nil {
			_ = os.WriteFile(arg, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
		}
		select {}
	case "short": // reads a little, and ends
		_, _ = io.ReadFull(os.Stdin, make([]byte, 16))
		fmt.Println("enough")
	}
}

func recogniser(what string) Command { return Command{[]string{os.Args[0], script, what}} }

// room is a server with a voice socket, and a page at it.
type room struct {
	*testing.T
	page *websocket.Conn
}

func enter(t *testing.T, r Recogniser) *room {
	t.Helper()
	return enterService(t, New(r, 1, nil))
}

func enterService(t *testing.T, service *Service) *room {
	t.Helper()
	served := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = socket.CloseNow() }()
		service.Serve(r.Context(), socket, session)
	}))
	page, _, err := websocket.Dial(t.Context(), server.URL, nil) //nolint:bodyclose // it has none
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = page.CloseNow()
		<-served
		server.Close()
	})
	return &room{t, page}
}

func (r *room) send(m wire.Message) {
	r.Helper()
	frame, err := wire.Encode(wire.G1, wire.FromVoice, m)
	if err == nil {
		err = r.page.Write(r.Context(), websocket.MessageText, frame)
	}
	if err != nil {
		r.Fatal(err)
	}
}

func (r *room) speak(n int) {
	r.Helper()
	if err := r.page.Write(r.Context(), websocket.MessageBinary, make([]byte, n)); err != nil {
		r.Fatal(err)
	}
}

// hears reads frames until the end of the recording and returns them.
func (r *room) hears() (all []wire.Message) {
	r.Helper()
	for {
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		_, frame, err := r.page.Read(ctx)
		cancel()
		if err != nil {
			r.Fatalf("%v, after %v", err, all)
		}
		m, err := wire.Decode(wire.ToVoice, frame)
		if err != nil {
			r.Fatal(err)
		}
		all = append(all, m)
		switch m.(type) {
		case wire.VoiceEnded, wire.VoiceError:
			return all
		}
	}
}

func (r *room) expect(want ...wire.Message) {
	r.Helper()
	if got := r.hears(); !slices.Equal(got, want) {
		r.Errorf("got  %v\nwant %v", got, want)
	}
}

func text(s string, final bool, confidence float64) wire.Message {
	return wire.Transcription{SessionID: session, Transcript: s, IsFinal: final, Confidence: confidence}
}

func childOf(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(wait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		raw, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(string(raw)); err == nil {
			return pid
		}
	}
	t.Fatal("the recogniser has no child")
	return 0
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(wait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		process, lost := os.FindProcess(pid)
		if err != nil && (lost != nil || process.Signal(syscall.Signal(0)) != nil) || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d lives", pid)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
