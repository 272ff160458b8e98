package callers

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
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// noticeScenarios attack the claims of docs/security.md about notifications.
var noticeScenarios = []siege.Scenario{
	{Name: "notices: an agent that writes their texts", Attack: attackNoticeTexts},
	{Name: "notices: a repository that names a program", Attack: attackNoticeSettings},
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
func notifies(s *siege.Siege) *receiver {
	r := &receiver{}
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.strayed++
	}))
	s.Later(other.Close)
	serve := func(answer func(http.ResponseWriter)) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(io.LimitReader(q.Body, 1<<20))
			r.mu.Lock()
			r.got = append(r.got, received{q.Header.Clone(), string(body)})
			r.mu.Unlock()
			answer(w)
		}))
		s.Later(server.Close)
		return server.URL
	}
	hook := serve(func(w http.ResponseWriter) {
		w.Header().Set("Location", other.URL+"/stray")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	ntfy := serve(func(w http.ResponseWriter) { _, _ = io.CopyN(w, siege.Zeros{}, 64<<20) }) // the daemon hangs up
	secret := filepath.Join(s.World.Root, "notice.secret")
	s.Write(secret, "precious-secret\n")
	program := filepath.Join(s.World.Root, "notify")
	script := "#!/bin/sh\ncat >>" + s.Mark("json") + "\nenv >>" + s.Mark("env") + "\necho \"$# $*\" >>" + s.Mark("arguments") + "\n"
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Must(os.WriteFile(program, []byte(script), 0o700), "write a program") //nolint:gosec // it is run
	settings, err := json.Marshal(map[string]any{"notify": map[string]any{
		"exec": []string{program, "only"}, "webhook": hook + "/hook-of-precious-path", "webhook_secret_file": secret, "ntfy": ntfy + "/topic", "ntfy_token_file": secret,
	}})
	s.Must(err, "encode settings")
	configured(s, string(settings))
	return r
}

// configured starts another daemon, with these settings of the user.
func configured(s *siege.Siege, settings string) {
	_, err := s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	s.Write(filepath.Join(s.World.ConfigDir(), "settings.json"), settings)
	s.Start()
}

// attackNoticeTexts has an agent ask about tools whose names and inputs are lines of headers, arguments and escapes.
func attackNoticeTexts(s *siege.Siege) {
	r := notifies(s)
	const evil = `x\r\nX-Evil: yes\r\n\r\n$(touch evil) ; touch evil\u001b[2J\u001b]0;evil\u0007\u202e`
	c := s.Converse("person", siege.NewSession())
	s.Say(c, `tool:Bash:{"command": "ls `+evil+`", "description": "`+evil+`"}`)
	s.Wait(c, 0, kit.IsPermission)
	d := s.Converse("person", siege.NewSession())
	s.Say(d, `tool:mcp__evil__`+"x\u202e"+`:{"a": "`+evil+`"}`)
	s.Wait(d, 0, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
	c.Close()
	d.Close() // without a watching client a person is notified after a grace period
	s.Until("the program was told", func() bool { return s.Contains(s.Mark("json"), "PERMISSION_WAITS") })
	s.Until("both servers were told", func() bool { return len(r.all()) >= 2 })
	told, _ := os.ReadFile(s.Mark("json"))
	environ, _ := os.ReadFile(s.Mark("env"))
	arguments, _ := os.ReadFile(s.Mark("arguments"))
	for _, line := range strings.Split(strings.TrimSpace(string(told)), "\n") {
		var notice struct{ Message string }
		s.Must(json.Unmarshal([]byte(line), &notice), "read a notice")
		s.Held("a notice has no hidden characters", strings.IndexFunc(notice.Message, visible.Hidden) < 0, "%q", notice.Message)
	}
	s.Held("a variable has none either", siege.Plain(string(environ)), "%q", environ)
	s.Held("no variable is added", !strings.Contains(string(environ), "\nX-Evil"), "%s", environ)
	s.Held("the program has the arguments of the setting", strings.Trim(strings.ReplaceAll(string(arguments), "1 only", ""), "\n") == "", "%q", arguments)
	s.Held("no shell reads a text", !s.Exists(s.Project("evil")) && !s.Exists(filepath.Join(s.World.Root, "evil")), "a command ran")
	for _, each := range r.all() {
		s.Held("no header is added", each.header.Get("X-Evil") == "", "%v", each.header)
		s.Held("the secret is in no body", !strings.Contains(each.body, "precious"), "%s", each.body)
	}
	s.Held("no redirect is followed", r.strayed == 0, "%d were", r.strayed)
	for _, text := range []string{"precious-secret", "hook-of-precious-path"} {
		s.Held("the log has no "+text, !strings.Contains(s.Daemon.Log(), text), "it has")
	}
	for _, path := range queue(s) {
		info, err := os.Lstat(path)
		s.Held("a file of the queue is closed to others", err != nil || info.Mode().Perm()&0o077 == 0, "%s %v", path, info)
		s.Held("the secret is not in the queue", !s.Contains(path, "precious-secret"), "%s", path)
	}
}

// queue lists the files of notifications that wait.
func queue(s *siege.Siege) []string {
	all, err := filepath.Glob(filepath.Join(s.World.StateDir(), "notices", "*"))
	s.Must(err, "list the queue")
	return all
}

// attackNoticeSettings has a repository name a program and servers for notifications, in a directory that is trusted.
func attackNoticeSettings(s *siege.Siege) {
	mark, own := s.Mark("ran"), s.Mark("own")
	s.Must(os.MkdirAll(filepath.Dir(mark), 0o700), "make a directory")
	configured(s, fmt.Sprintf(`{"notify": {"exec": ["/bin/sh", "-c", "touch %s"]}}`, own))
	caught := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { caught <- struct{}{} }))
	s.Later(server.Close)
	settings := fmt.Sprintf(`{"notify": {"exec": ["/bin/sh", "-c", "touch %s"], "webhook": %q, "ntfy": "%s/topic"},
		"env": {"BETCODE_NOTIFY_EXEC": "[\"/bin/touch\", \"%s\"]", "BETCODE_NOTIFY_WEBHOOK": %q}}`, mark, server.URL, server.URL, mark, server.URL)
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json", ".betcode/settings.json"} {
		s.Write(s.Project(name), settings)
	}
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	s.Held("the directory is trusted", code == 0, "%s", printed)
	printed, _ = s.Cli("config", "get", "notify.exec")
	s.Held("the setting does not count there", !strings.Contains(printed, mark), "%s", printed)
	c := s.Converse("person", siege.NewSession())
	s.Say(c, "run:touch made.txt")
	s.Wait(c, 0, kit.IsPermission)
	c.Close()
	s.Until("the user's own program runs", func() bool { return s.Exists(own) })
	s.Held("no program runs, and no server is told", !s.Exists(mark) && len(caught) == 0, "one is")
}
