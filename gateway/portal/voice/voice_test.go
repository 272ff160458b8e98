package voice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// A page records. Frames before StartVoice and about another session are ignored; a second recording follows.
func TestRecording(t *testing.T) {
	r := enter(t, recogniser("count"))
	r.speak(8192)
	r.send(wire.StopVoice{SessionID: session})
	r.send(wire.StartVoice{SessionID: other})
	r.speak(8192)
	for range 2 {
		r.send(wire.StartVoice{SessionID: session, LanguageCode: "de-DE"})
		for range 8 {
			r.speak(8192)
		}
		r.send(wire.StopVoice{SessionID: other})
		r.speak(1000)
		r.send(wire.StopVoice{SessionID: session})
		r.speak(8192)
		r.expect(text("listening", false, 0.25), text("heard 66536", true, 0.5), wire.VoiceEnded{SessionID: session})
	}
}

// A second StartVoice replaces the first, whose recogniser and its children end.
func TestSecondStartReplacesTheFirst(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	r := enter(t, recogniser("deaf:"+pid))
	r.send(wire.StartVoice{SessionID: session})
	child := childOf(t, pid)
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	r.send(wire.StartVoice{SessionID: session})
	second := childOf(t, pid)
	gone(t, child)
	_ = r.page.CloseNow()
	gone(t, second)
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

func TestRecogniserFails(t *testing.T) {
	for name, c := range map[string]struct {
		with Recogniser
		want string
	}{
		"none":       {nil, "Speech-to-text not configured on server"},
		"not there":  {Command{[]string{"/nonexistent/recogniser"}}, "Failed to start speech recognition: "},
		"no program": {Command{}, "Failed to start speech recognition: no program"},
		"fails":      {recogniser("fail"), "Speech recognition failed: exit status 3: no model[2J"},
		"100 MB":     {recogniser("flood"), "Speech recognition failed: the recogniser writes too much"},
	} {
		r := enter(t, c.with)
		r.send(wire.StartVoice{SessionID: session})
		r.send(wire.StopVoice{SessionID: session})
		all := r.hears()
		if e, ok := all[len(all)-1].(wire.VoiceError); !ok || e.SessionID != session || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%s: %v, want %s", name, all, c.want)
		}
	}
	r := enter(t, recogniser("many"))
	r.send(wire.StartVoice{SessionID: session})
	if all := r.hears(); len(all) != maxResults+1 {
		t.Errorf("%d results", len(all)-1)
	}
	r = enter(t, recogniser("short"))
	r.send(wire.StartVoice{SessionID: session})
	r.speak(8192)
	r.expect(text("enough", true, 0), wire.VoiceEnded{SessionID: session})
	r.speak(8192) // the recogniser has ended
	r.send(wire.StopVoice{SessionID: session})
}

func TestResultsAreText(t *testing.T) {
	r := enter(t, recogniser("escapes"))
	r.send(wire.StartVoice{SessionID: session})
	r.send(wire.StopVoice{SessionID: session})
	r.expect(text("[2Jred ]0;titleevil end", true, 0), text("[31mjson", true, 0), wire.VoiceEnded{SessionID: session})
}

// A recogniser gets no secrets from the environment.
func TestEnvironment(t *testing.T) {
	t.Setenv("SESSION_SECRET", "s3cret")
	t.Setenv("BETCODE_TOKEN_FILE", "/s3cret")
	t.Setenv("ANTHROPIC_API_KEY", "s3cret")
	r := enter(t, recogniser("environment"))
	r.send(wire.StartVoice{SessionID: session, LanguageCode: "fr-FR"})
	r.send(wire.StopVoice{SessionID: session})
	all := fmt.Sprint(r.hears())
	if strings.Contains(all, "s3cret") || !strings.Contains(all, "BETCODE_LANGUAGE=fr-FR") || !strings.Contains(all, "BETCODE_AUDIO_TYPE="+PCM) || !strings.Contains(all, "PATH=") {
		t.Error(all)
	}
}

// A recording has at most ten minutes of audio, and ends if its recogniser reads none.
func TestRecordingIsBounded(t *testing.T) {
	r := enter(t, recogniser("count"))
	r.send(wire.StartVoice{SessionID: session})
	for range MaxAudio/(200<<10) + 1 {
		r.speak(200 << 10)
	}
	all := r.hears()
	if want := (wire.VoiceError{SessionID: session, Message: "Speech recognition failed: " + ErrTooLong.Error()}); all[len(all)-1] != want {
		t.Errorf("%v", all)
	}
}

// A page that keeps its socket open and sends nothing gets an error, and its recogniser ends.
func TestSilence(t *testing.T) {
	for _, starts := range []bool{true, false} {
		s := New(recogniser("count"), 0, nil)
		s.silence, s.idle = 100*time.Millisecond, 100*time.Millisecond
		r := enterService(t, s)
		if starts {
			r.send(wire.StartVoice{SessionID: session})
		}
		all := r.hears()
		if want := (wire.VoiceError{SessionID: session, Message: "Nothing was heard for a while"}); all[len(all)-1] != want {
			t.Errorf("%v", all)
		}
		if kind, _, err := r.page.Read(t.Context()); err == nil {
			t.Errorf("another frame of kind %d", kind)
		}
	}
}

func TestTranscribe(t *testing.T) {
	s := New(recogniser("count"), 0, nil)
	got, err := s.Transcribe(t.Context(), Audio{Reader: strings.NewReader("12345"), Type: "audio/wav"})
	if err != nil || got != "heard 5" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := s.Transcribe(t.Context(), Audio{Reader: io.LimitReader(zeros{}, MaxAudio+1), Type: "audio/wav"}); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if _, err := New(nil, 0, nil).Transcribe(t.Context(), Audio{Reader: strings.NewReader("")}); !errors.Is(err, ErrOff) {
		t.Errorf("none: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestPlaces(t *testing.T) {
	s := New(nil, 2, nil)
	first, _ := s.Enter("ann")
	if _, ok := s.Enter("ann"); ok {
		t.Error("one caller takes both places")
	}
	if _, ok := s.Enter("bob"); !ok {
		t.Error("the second place is taken")
	}
	if _, ok := s.Enter("eve"); ok {
		t.Error("there is a third place")
	}
	first()
	if _, ok := s.Enter("ann"); !ok {
		t.Error("a place that was left is taken")
	}
}

// A recogniser that is a server gets the audio, and no other host does.
func TestServer(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer stranger.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_ = json.NewEncoder(w).Encode(map[string]any{"text": fmt.Sprint(n, " bytes of ", r.Header.Get("Content-Type"), " in ", r.Header.Get("Content-Language"))})
		case "/text":
			fmt.Fprintln(w, "one\ntwo")
		case "/elsewhere":
			http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
		case "/flood":
			for range 100 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/json": `5 bytes of ` + PCM + ` in en-GB, <nil>`, "/text": "one two, <nil>",
		"/elsewhere": ", the recogniser answered 307", "/flood": ", the recogniser writes too much", "/nothing": ", the recogniser answered 404",
	} {
		s, err := NewServer(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(s, 0, nil).Transcribe(t.Context(), Audio{strings.NewReader("12345"), PCM, "en-GB"})
		if said := fmt.Sprint(got, ", ", err); said != want {
			t.Errorf("%s: %s, want %s", path, said, want)
		}
		s.Close()
	}
	for address, ok := range map[string]bool{
		"https://stt.example/v1": true, "http://127.0.0.1:9": true, "http://localhost:9": true, "http://[::1]:9": true,
		"http://stt.example": false, "http://127.0.0.1.evil.example": false, "http://10.0.0.1": false, "ftp://127.0.0.1": false, "": false,
		"https://user:pass@stt.example": false, "file:///etc/passwd": false,
	} {
		if s, err := NewServer(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		} else if s != nil {
			s.Close()
		}
	}
}

// For any output of a recogniser, results are short and have only visible characters.
func FuzzResults(f *testing.F) {
	f.Add([]byte("hello\n{\"text\":\"x\",\"final\":false}\n"))
	f.Add([]byte("\x1b[2J\xff\n{\"text\":\"\\u202e\"}\n{"))
	f.Fuzz(func(t *testing.T, said []byte) {
		check := func(r Result) {
			if r.Text == "" || len(r.Text) > maxResult || clean(r.Text) != r.Text || r.Confidence < 0 || r.Confidence > 1 {
				t.Errorf("%+v", r)
			}
		}
		_ = results(bytes.NewReader(said), check) // either is fine
		_ = values(bytes.NewReader(said), check)
	})
}

// Only tags of languages reach a recogniser.
func TestLanguageOf(t *testing.T) {
	for tag, want := range map[string]string{
		"de-DE": "de-DE", "zh-Hant-TW": "zh-Hant-TW", "es-419": "es-419",
		"": "en-US", "-x": "en-US", "de_DE": "en-US", "de;id": "en-US", "$(id)": "en-US", "de DE": "en-US", "dé": "en-US", strings.Repeat("a", 36): "en-US",
	} {
		if got := languageOf(tag); got != want {
			t.Errorf("languageOf(%q) = %q, want %q", tag, got, want)
		}
	}
}
