package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"betcode/messages/visible"
	"betcode/tests/kit"
)

// noticeScenarios attack what docs/security.md says of notifications.
var noticeScenarios = []scenario{
	{name: "notices: an agent that writes their texts", attack: attackNoticeTexts},
	{name: "notices: a repository that names a program", attack: attackNoticeSettings},
}

// receiver is a server for notifications that redirects to another one.
type receiver struct {
	mu      sync.Mutex
	got     []received
	strayed int // requests that followed a redirect
}

type received struct {
	header http.Header
	body   string
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// notifies starts servers for notifications, and a daemon whose settings name them and a program.
func (s *siege) notifies() *receiver {
	r := &receiver{}
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.strayed++
	}))
	s.later(other.Close)
	serve := func(answer func(http.ResponseWriter)) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(io.LimitReader(q.Body, 1<<20))
			r.mu.Lock()
			r.got = append(r.got, received{q.Header.Clone(), string(body)})
			r.mu.Unlock()
			answer(w)
		}))
		s.later(server.Close)
		return server.URL
	}
	hook := serve(func(w http.ResponseWriter) {
		w.Header().Set("Location", other.URL+"/stray")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	ntfy := serve(func(w http.ResponseWriter) { _, _ = io.CopyN(w, zeros{}, 64<<20) }) // the daemon hangs up
	secret := filepath.Join(s.world.Root, "notice.secret")
	s.write(secret, "precious-secret\n")
	program := filepath.Join(s.world.Root, "notify")
	script := "#!/bin/sh\ncat >>" + s.mark("json") + "\nenv >>" + s.mark("env") + "\necho \"$# $*\" >>" + s.mark("arguments") + "\n"
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.must(os.WriteFile(program, []byte(script), 0o700), "write a program") //nolint:gosec // it is run
	settings, err := json.Marshal(map[string]any{"notify": map[string]any{
		"exec": []string{program, "only"}, "webhook": hook + "/hook-of-precious-path", "webhook_secret_file": secret, "ntfy": ntfy + "/topic", "ntfy_token_file": secret,
	}})
	s.must(err, "encode settings")
	s.configured(string(settings))
	return r
}

// configured starts another daemon, with these settings of the user.
func (s *siege) configured(settings string) {
	_, err := s.daemon.Stop()
	s.must(err, "stop the daemon")
	s.write(filepath.Join(s.world.ConfigDir(), "settings.json"), settings)
	s.start()
}

// attackNoticeTexts has an agent ask about tools whose names and inputs are lines of headers, arguments and escapes.
func attackNoticeTexts(s *siege) {
	r := s.notifies()
	const evil = `x\r\nX-Evil: yes\r\n\r\n$(touch evil) ; touch evil\u001b[2J\u001b]0;evil\u0007\u202e`
	c := s.converse("person", session())
	s.say(c, `tool:Bash:{"command": "ls `+evil+`", "description": "`+evil+`"}`)
	s.wait(c, 0, kit.IsPermission)
	d := s.converse("person", session())
	s.say(d, `tool:mcp__evil__`+"x\u202e"+`:{"a": "`+evil+`"}`)
	s.wait(d, 0, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
	c.Close()
	d.Close() // nobody watches, so a person is notified after a grace
	s.until("the program was told", func() bool { return s.contains(s.mark("json"), "PERMISSION_WAITS") })
	s.until("both servers were told", func() bool { return len(r.all()) >= 2 })
	told, _ := os.ReadFile(s.mark("json"))
	environ, _ := os.ReadFile(s.mark("env"))
	arguments, _ := os.ReadFile(s.mark("arguments"))
	for _, line := range strings.Split(strings.TrimSpace(string(told)), "\n") {
		var notice struct{ Message string }
		s.must(json.Unmarshal([]byte(line), &notice), "read a notice")
		s.held("a notice has no hidden characters", strings.IndexFunc(notice.Message, visible.Hidden) < 0, "%q", notice.Message)
	}
	s.held("a variable has none either", plain(string(environ)), "%q", environ)
	s.held("no variable is added", !strings.Contains(string(environ), "\nX-Evil"), "%s", environ)
	s.held("the program has the arguments of the setting", strings.Trim(strings.ReplaceAll(string(arguments), "1 only", ""), "\n") == "", "%q", arguments)
	s.held("no shell reads a text", !s.exists(s.project("evil")) && !s.exists(filepath.Join(s.world.Root, "evil")), "a command ran")
	for _, each := range r.all() {
		s.held("no header is added", each.header.Get("X-Evil") == "", "%v", each.header)
		s.held("the secret is in no body", !strings.Contains(each.body, "precious"), "%s", each.body)
	}
	s.held("no redirect is followed", r.strayed == 0, "%d were", r.strayed)
	for _, text := range []string{"precious-secret", "hook-of-precious-path"} {
		s.held("the log has no "+text, !strings.Contains(s.daemon.Log(), text), "it has")
	}
	for _, path := range s.queue() {
		info, err := os.Lstat(path)
		s.held("a file of the queue is closed to others", err != nil || info.Mode().Perm()&0o077 == 0, "%s %v", path, info)
		s.held("the secret is not in the queue", !s.contains(path, "precious-secret"), "%s", path)
	}
}

// queue lists the files of notifications that wait.
func (s *siege) queue() []string {
	all, err := filepath.Glob(filepath.Join(s.world.StateDir(), "notices", "*"))
	s.must(err, "list the queue")
	return all
}

// attackNoticeSettings has a repository name a program and servers for notifications, in a directory that is trusted.
func attackNoticeSettings(s *siege) {
	mark, own := s.mark("ran"), s.mark("own")
	s.must(os.MkdirAll(filepath.Dir(mark), 0o700), "make a directory")
	s.configured(fmt.Sprintf(`{"notify": {"exec": ["/bin/sh", "-c", "touch %s"]}}`, own))
	caught := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { caught <- struct{}{} }))
	s.later(server.Close)
	settings := fmt.Sprintf(`{"notify": {"exec": ["/bin/sh", "-c", "touch %s"], "webhook": %q, "ntfy": "%s/topic"},
		"env": {"BETCODE_NOTIFY_EXEC": "[\"/bin/touch\", \"%s\"]", "BETCODE_NOTIFY_WEBHOOK": %q}}`, mark, server.URL, server.URL, mark, server.URL)
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json", ".betcode/settings.json"} {
		s.write(s.project(name), settings)
	}
	printed, code := s.cli("trust", "--yes", s.world.Project)
	s.held("the directory is trusted", code == 0, "%s", printed)
	printed, _ = s.cli("config", "get", "notify.exec")
	s.held("the setting does not count there", !strings.Contains(printed, mark), "%s", printed)
	c := s.converse("person", session())
	s.say(c, "run:touch made.txt")
	s.wait(c, 0, kit.IsPermission)
	c.Close()
	s.until("the user's own program runs", func() bool { return s.exists(own) })
	s.held("no program runs, and no server is told", !s.exists(mark) && len(caught) == 0, "one is")
}
