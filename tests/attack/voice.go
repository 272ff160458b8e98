package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"betcode/tests/kit"
)

// voiceScenarios attack what docs/security.md says of speech.
var voiceScenarios = []scenario{
	{name: "voice: people who may not speak", attack: attackVoiceByOthers},
	{name: "voice: a hostile recogniser", attack: attackVoiceByRecogniser},
	{name: "voice: sockets that are kept", attack: attackVoiceByKeepers},
}

// listens runs a portal with a recogniser that is a script.
func (s *siege) listens(script string) *kit.Portal {
	path := filepath.Join(s.world.Root, "recogniser")
	s.must(os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700), "write a recogniser") //nolint:gosec // it is run
	return s.portal("--recogniser-command", path)
}

// talks begins a recording in a session.
func (s *siege) talks(b *kit.Browser, id string) *kit.Page {
	page, _, err := b.Voice(id)
	s.must(err, "open a voice socket")
	s.later(page.Close)
	s.must(page.Send(map[string]any{"type": "StartVoice", "session_id": id}), "start")
	return page
}

// attackVoiceByOthers speaks without the right to control, from other sites, without a login, and to a session that is none.
func attackVoiceByOthers(s *siege) {
	mark := s.project("heard")
	p := s.listens("touch " + mark + "; cat >/dev/null; echo heard\n")
	id := session()
	s.runTurn(s.converse("a", id), "echo:there is a session")
	for _, scopes := range [][]string{{"view"}, {"approve"}, {"view", "approve"}} {
		b := s.browser(p, scopes...)
		_, status, err := b.Voice(id)
		s.held(fmt.Sprint("a socket with ", scopes), err != nil && status == http.StatusForbidden, "%d", status)
		status, body, err := b.Upload("/api/stt/transcribe", "audio/wav", "x")
		s.held(fmt.Sprint("an upload with ", scopes), err == nil && status == http.StatusForbidden, "%d %s", status, body)
		_, body = s.asks(b, http.MethodGet, "/api/auth/me")
		s.held(fmt.Sprint("the page is told with ", scopes), strings.Contains(body, `"voice_enabled":false`), "%s", body)
	}
	stranger := p.Browser()
	_, status, _ := stranger.Voice(id)
	s.held("a socket without a login", status == http.StatusUnauthorized, "%d", status)
	status, _, _ = stranger.Upload("/api/stt/transcribe", "audio/wav", "x")
	s.held("an upload without a login", status == http.StatusUnauthorized, "%d", status)
	b := s.browser(p, "control")
	_, status, _ = b.Voice(session())
	s.held("an unknown session", status == http.StatusNotFound, "%d", status)
	for name, origin := range map[string][]string{"no origin": nil, "another site": {"https://evil.example"}, "a null origin": {"null"}} {
		b.Header["Origin"] = origin
		if origin == nil {
			delete(b.Header, "Origin")
		}
		_, status, _ = b.Voice(id)
		s.held("a socket with "+name, status == http.StatusForbidden, "%d", status)
		status, _, _ = b.Upload("/api/stt/transcribe", "audio/wav", "x")
		s.held("an upload with "+name, status == http.StatusForbidden, "%d", status)
	}
	s.held("no recogniser was started", !s.exists(mark), "one was")
}

// attackVoiceByRecogniser has a recogniser write escapes, 100 MB and nothing at all, leave children, and look for secrets.
func attackVoiceByRecogniser(s *siege) {
	child := filepath.Join(s.world.Root, "child")
	p := s.listens(`case "$BETCODE_LANGUAGE" in
escapes) printf '\033[2J\033]0;title\007red\n{"text":"\\u001b[31mjson","final":true}\n' ;;
flood) yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | head -c 100000000 ;;
line) head -c 100000000 /dev/zero | tr '\0' x ;;
hang) sleep 1000 & echo $! >` + child + `; sleep 1000 ;;
secrets) env ;;
esac
`)
	id := session()
	s.runTurn(s.converse("a", id), "echo:there is a session")
	b := s.browser(p, "control")
	speak := func(how string) *kit.Page {
		page, _, err := b.Voice(id)
		s.must(err, "open a voice socket")
		s.later(page.Close)
		s.must(page.Send(map[string]any{"type": "StartVoice", "session_id": id, "language_code": how}), "start")
		return page
	}
	page := speak("escapes")
	s.frame(page, "VoiceEnded")
	s.held("escapes", !strings.Contains(fmt.Sprint(page.Frames), "\x1b") && !strings.Contains(fmt.Sprint(page.Frames), `\u001b`), "%v", page.Frames)
	for _, how := range []string{"flood", "line"} {
		page = speak(how)
		s.frame(page, "VoiceError", "says too much")
		s.held("100 MB as "+how, len(page.Frames) <= 1001, "%d frames", len(page.Frames))
	}
	memory, err := p.Memory()
	s.must(err, "read the memory of the portal")
	s.held("it takes little memory", memory < 300<<20, "%d MiB", memory>>20)
	page = speak("secrets")
	s.frame(page, "VoiceEnded")
	all := fmt.Sprint(page.Frames)
	s.held("variables of the portal", strings.Contains(all, "PATH=") && !strings.Contains(all, "BETCODE_SOCKET") && !strings.Contains(all, "BETCODE_CONFIG"), "%s", all)
	page = speak("hang")
	s.until("the recogniser has a child", func() bool { return s.exists(child) && s.contains(child, "\n") })
	raw, err := os.ReadFile(child)
	s.must(err, "read the pid of the child")
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	s.must(err, "read the pid of the child")
	page.Close()
	s.held("children end with the page", s.becomes(func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}), "process %d lives", pid)
}

// attackVoiceByKeepers keeps more sockets than there may be, and sends too much.
func attackVoiceByKeepers(s *siege) {
	p := s.listens("exec cat >/dev/null\n")
	id := session()
	s.runTurn(s.converse("a", id), "echo:there is a session")
	b := s.browser(p, "control")
	large := s.talks(b, id)
	_ = large.Speak(make([]byte, 1<<20)) // the portal hangs up in the middle of it
	s.held("a frame of 1 MiB ends its socket", large.Ended(), "it does not")
	long := s.talks(b, id)
	for range 100 {
		if long.Speak(make([]byte, 200<<10)) != nil {
			break
		}
	}
	s.frame(long, "VoiceError", "more than ten minutes")
	s.held("a recording without end", true, "")
	long.Close()
	status, _, _ := b.Upload("/api/stt/transcribe", "audio/wav", strings.Repeat("x", 25<<20))
	s.held("an upload of 25 MiB", status != http.StatusOK, "%d", status)
	kept := 0
	for range 40 {
		page, status, err := b.Voice(id)
		if err != nil {
			s.held("a socket too many is refused", status == http.StatusServiceUnavailable, "%d %v", status, err)
			break
		}
		s.later(page.Close)
		kept++
	}
	s.held("sockets are bounded", kept <= 16, "%d are open", kept)
	mine := s.opens(b)
	s.must(mine.Register(2, id, nil), "register")
	s.frame(mine, "SessionStatus")
	s.held("pages are served meanwhile", true, "")
}
