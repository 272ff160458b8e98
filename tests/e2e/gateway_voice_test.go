package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// recogniser returns a program that prints the length of its input and its variables.
func (s *story) recogniser(script string) string {
	s.Helper()
	path := filepath.Join(s.world.Root, "recogniser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
		s.Fatal(err)
	}
	return path
}

// voice is a page that speaks.
func (p *portal) voice(b *kit.Browser, session string) *shown {
	p.Helper()
	page, status, err := b.Voice(session)
	if err != nil {
		p.Fatal(status, err)
	}
	p.Cleanup(page.Close)
	return &shown{p.T, page}
}

func (s *shown) speak(audio []byte) {
	s.Helper()
	if err := s.Speak(audio); err != nil {
		s.Fatal(err)
	}
}

// A page sends speech, gets the recognised text, and sends that as a prompt; a page of G3 uploads a recording.
func TestPortalVoice(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	const script = `echo '{"text":"listening","final":false,"confidence":0.1}'
n=$(wc -c); echo "{\"text\":\"echo:$BETCODE_LANGUAGE $BETCODE_AUDIO_TYPE $n\",\"final\":true,\"confidence\":0.9}"`
	p := newPortal(t, s, "--recogniser-command", s.recogniser(script)+" an argument")
	session := p.begin("echo:hello")
	b := p.browser("phone", "control")
	if status, body, err := b.JSON(http.MethodGet, "/api/auth/me", nil); err != nil || status != http.StatusOK || !strings.Contains(body, `"voice_enabled":true`) {
		t.Errorf("me: %d %s %v", status, body, err)
	}
	v := p.voice(b, session)
	v.speak(make([]byte, 100)) // before StartVoice
	v.send(object{"type": "StartVoice", "session_id": session, "language_code": "de-DE"})
	v.speak(make([]byte, 8192))
	v.speak(make([]byte, 8192))
	v.send(object{"type": "StopVoice", "session_id": session})
	v.wait(`"Transcription"`, `"is_final":false`, "listening", session)
	said := v.wait(`"Transcription"`, `"is_final":true`, "echo:de-DE audio/L16;rate=16000;channels=1 16384")
	v.wait(`"VoiceEnded"`, session)
	page := p.open(b, 2, session, nil)
	page.wait(`"SessionStatus"`)
	page.send(object{"type": "ClaudeInput", "content": said.Text("transcript")})
	page.wait(`"ClaudeOutput"`, `"type":"result"`)

	status, body, err := b.Upload("/api/stt/transcribe", "audio/webm;codecs=opus", strings.Repeat("x", 1<<20))
	if err != nil || status != http.StatusOK || strings.TrimSpace(body) != `{"text":"echo: audio/webm;codecs=opus 1048576"}` {
		t.Errorf("upload: %d %s %v", status, body, err)
	}
	for kind, want := range map[string]int{"text/plain": http.StatusUnsupportedMediaType, "audio/wav": http.StatusOK} {
		if status, body, err := b.Upload("/api/stt/transcribe", kind, "x"); err != nil || status != want {
			t.Errorf("upload of %s: %d %s %v", kind, status, body, err)
		}
	}
}

// Without a recogniser a page gets an error.
func TestPortalVoiceWithoutRecogniser(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := newPortal(t, s)
	session := p.begin("echo:hello")
	b := p.browser("phone", "control")
	if _, body, err := b.JSON(http.MethodGet, "/api/auth/me", nil); err != nil || !strings.Contains(body, `"voice_enabled":false`) {
		t.Errorf("me: %s %v", body, err)
	}
	v := p.voice(b, session)
	v.send(object{"type": "StartVoice", "session_id": session})
	v.wait(`"VoiceError"`, session, "Speech-to-text not configured on server")
	if status, body, err := b.Upload("/api/stt/transcribe", "audio/wav", "x"); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("upload: %d %s %v", status, body, err)
	}
}

// A recogniser that is a server of this machine. Which servers may be one is checked at the beginning.
func TestPortalVoiceServer(t *testing.T) {
	t.Parallel()
	heard := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all bytes.Buffer
		n, _ := all.ReadFrom(r.Body)
		heard <- int(n)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"text": "from a server"}`))
	}))
	defer server.Close()
	s := newStory(t, binaries.fake)
	p := newPortal(t, s, "--recogniser-url", server.URL)
	session := p.begin("echo:hello")
	v := p.voice(p.browser("phone", "control"), session)
	v.send(object{"type": "StartVoice", "session_id": session})
	v.speak(make([]byte, 3000))
	v.send(object{"type": "StopVoice", "session_id": session})
	v.wait(`"Transcription"`, "from a server")
	v.wait(`"VoiceEnded"`)
	if n := <-heard; n != 3000 {
		t.Errorf("the server got %d bytes", n)
	}
	for _, flags := range [][]string{
		{"--recogniser-url", "http://stt.example"},
		{"--recogniser-url", "ftp://127.0.0.1"},
		{"--recogniser-command", "/nonexistent/recogniser"},
		{"--recogniser-url", server.URL, "--recogniser-command", "cat"},
	} {
		s.cli(5, append([]string{"gateway", "portal", "--listen", "127.0.0.1:0"}, flags...)...)
	}
}

// A real recogniser understands a real voice, as far as it does: espeak-ng speaks, pocketsphinx listens.
func TestPortalVoiceRealRecogniser(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"espeak-ng", "sox", "pocketsphinx_continuous"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: apt-get install pocketsphinx pocketsphinx-en-us espeak-ng sox", program)
		}
	}
	s := newStory(t, binaries.fake)
	speech := filepath.Join(s.world.Root, "speech.wav")
	run := func(name string, arguments ...string) []byte {
		out, err := exec.CommandContext(t.Context(), name, arguments...).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	run("espeak-ng", "-v", "en-us", "-s", "130", "-w", speech, "hello world")
	audio := run("sox", speech, "-r", "16000", "-c", "1", "-b", "16", "-e", "signed-integer", "-t", "raw", "-")
	p := newPortal(t, s, "--recogniser-command", "pocketsphinx_continuous -infile /dev/stdin -logfn /dev/null")
	session := p.begin("echo:hello")
	v := p.voice(p.browser("phone", "control"), session)
	v.send(object{"type": "StartVoice", "session_id": session})
	for len(audio) > 0 {
		n := min(len(audio), 8192)
		v.speak(audio[:n])
		audio = audio[n:]
	}
	v.send(object{"type": "StopVoice", "session_id": session})
	said := v.wait(`"Transcription"`, `"is_final":true`)
	t.Logf("it understood %q", said.Text("transcript"))
	if !strings.Contains(said.Text("transcript"), "world") {
		t.Errorf("it understood %s", said.Raw)
	}
	v.wait(`"VoiceEnded"`)
}
