package gateways

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// voiceScenarios attack the claims of docs/security.md about speech.
var voiceScenarios = []siege.Scenario{
	{Name: "voice: people who may not speak", Attack: attackVoiceByOthers},
	{Name: "voice: a hostile recogniser", Attack: attackVoiceByRecogniser},
	{Name: "voice: sockets that are kept", Attack: attackVoiceByKeepers},
}

// listens runs a portal with a recogniser that is a script.
func listens(s *siege.Siege, script string) *kit.Portal {
	path := filepath.Join(s.World.Root, "recogniser")
	s.Must(os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700), "write a recogniser") //nolint:gosec // it is run
	return portal(s, "--recogniser-command", path)
}

// talks begins a recording in a session.
func talks(s *siege.Siege, b *kit.Browser, id string) *kit.Page {
	page, _, err := b.Voice(id)
	s.Must(err, "open a voice socket")
	s.Later(page.Close)
	s.Must(page.Send(map[string]any{"type": "StartVoice", "session_id": id}), "start")
	return page
}

// attackVoiceByOthers speaks without the right to control, from other sites, without a login, and to a session that is none.
func attackVoiceByOthers(s *siege.Siege) {
	mark := s.Project("heard")
	p := listens(s, "touch "+mark+"; cat >/dev/null; echo heard\n")
	id := siege.NewSession()
	s.RunTurn(s.Converse("a", id), "echo:there is a session")
	for _, scopes := range [][]string{{"view"}, {"approve"}, {"view", "approve"}} {
		b := browser(s, p, scopes...)
		_, status, err := b.Voice(id)
		s.Held(fmt.Sprint("a socket with ", scopes), err != nil && status == http.StatusForbidden, "%d", status)
		status, body, err := b.Upload("/api/stt/transcribe", "audio/wav", "x")
		s.Held(fmt.Sprint("an upload with ", scopes), err == nil && status == http.StatusForbidden, "%d %s", status, body)
		_, body = asks(s, b, http.MethodGet, "/api/auth/me")
		s.Held(fmt.Sprint("the page is told with ", scopes), strings.Contains(body, `"voice_enabled":false`), "%s", body)
	}
	stranger := p.Browser()
	_, status, _ := stranger.Voice(id)
	s.Held("a socket without a login", status == http.StatusUnauthorized, "%d", status)
	status, _, _ = stranger.Upload("/api/stt/transcribe", "audio/wav", "x")
	s.Held("an upload without a login", status == http.StatusUnauthorized, "%d", status)
	b := browser(s, p, "control")
	_, status, _ = b.Voice(siege.NewSession())
	s.Held("an unknown session", status == http.StatusNotFound, "%d", status)
	for name, origin := range map[string][]string{"no origin": nil, "another site": {"https://evil.example"}, "a null origin": {"null"}} {
		b.Header["Origin"] = origin
		if origin == nil {
			delete(b.Header, "Origin")
		}
		_, status, _ = b.Voice(id)
		s.Held("a socket with "+name, status == http.StatusForbidden, "%d", status)
		status, _, _ = b.Upload("/api/stt/transcribe", "audio/wav", "x")
		s.Held("an upload with "+name, status == http.StatusForbidden, "%d", status)
	}
	s.Held("no recogniser was started", !s.Exists(mark), "one was")
}

// attackVoiceByRecogniser has a recogniser write escapes, 100 MB and nothing at all, leave children, and look for secrets.
func attackVoiceByRecogniser(s *siege.Siege) {
	child := filepath.Join(s.World.Root, "child")
	p := listens(s, `case "$BETCODE_LANGUAGE" in
escapes) printf '\033[2J\033]0;title\007red\n{"text":"\\u001b[31mjson","final":true}\n' ;;
flood) yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | head -c 100000000 ;;
line) head -c 100000000 /dev/zero | tr '\0' x ;;
hang) sleep 1000 & echo $! >`+child+`; sleep 1000 ;;
secrets) env ;;
esac
`)
	id := siege.NewSession()
	s.RunTurn(s.Converse("a", id), "echo:there is a session")
	b := browser(s, p, "control")
	speak := func(how string) *kit.Page {
		page, _, err := b.Voice(id)
		s.Must(err, "open a voice socket")
		s.Later(page.Close)
		s.Must(page.Send(map[string]any{"type": "StartVoice", "session_id": id, "language_code": how}), "start")
		return page
	}
	page := speak("escapes")
	sendFrame(s, page, "VoiceEnded")
	s.Held("escapes", !strings.Contains(fmt.Sprint(page.Frames), "\x1b") && !strings.Contains(fmt.Sprint(page.Frames), `\u001b`), "%v", page.Frames)
	for _, how := range []string{"flood", "line"} {
		page = speak(how)
		sendFrame(s, page, "VoiceError", "writes too much")
		s.Held("100 MB as "+how, len(page.Frames) <= 1001, "%d frames", len(page.Frames))
	}
	memory, err := p.Memory()
	s.Must(err, "read the memory of the portal")
	s.Held("it takes little memory", memory < 300<<20, "%d MiB", memory>>20)
	page = speak("secrets")
	sendFrame(s, page, "VoiceEnded")
	all := fmt.Sprint(page.Frames)
	s.Held("variables of the portal", strings.Contains(all, "PATH=") && !strings.Contains(all, "BETCODE_SOCKET") && !strings.Contains(all, "BETCODE_CONFIG"), "%s", all)
	page = speak("hang")
	s.Until("the recogniser has a child", func() bool { return s.Exists(child) && s.Contains(child, "\n") })
	raw, err := os.ReadFile(child)
	s.Must(err, "read the pid of the child")
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	s.Must(err, "read the pid of the child")
	page.Close()
	s.Held("children end with the page", s.Becomes(func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}), "process %d lives", pid)
}

// attackVoiceByKeepers keeps more sockets than there may be, and sends too much.
func attackVoiceByKeepers(s *siege.Siege) {
	p := listens(s, "exec cat >/dev/null\n")
	id := siege.NewSession()
	s.RunTurn(s.Converse("a", id), "echo:there is a session")
	b := browser(s, p, "control")
	large := talks(s, b, id)
	_ = large.Speak(make([]byte, 1<<20)) // the portal hangs up in the middle of it
	s.Held("a frame of 1 MiB ends its socket", large.Ended(), "it does not")
	long := talks(s, b, id)
	for range 100 {
		if long.Speak(make([]byte, 200<<10)) != nil {
			break
		}
	}
	sendFrame(s, long, "VoiceError", "more than ten minutes")
	s.Held("a recording without end", true, "")
	long.Close()
	status, _, _ := b.Upload("/api/stt/transcribe", "audio/wav", strings.Repeat("x", 25<<20))
	s.Held("an upload of 25 MiB", status != http.StatusOK, "%d", status)
	kept := 0
	for range 40 {
		page, status, err := b.Voice(id)
		if err != nil {
			s.Held("a socket too many is refused", status == http.StatusServiceUnavailable, "%d %v", status, err)
			break
		}
		s.Later(page.Close)
		kept++
	}
	s.Held("sockets are bounded", kept <= 16, "%d are open", kept)
	mine := opens(s, b)
	s.Must(mine.Register(2, id, nil), "register")
	sendFrame(s, mine, "SessionStatus")
	s.Held("pages are served meanwhile", true, "")
}
