package gateways

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/foreignportal"
	"betcode/tests/kit"
)

// hostilePortalScenarios attack the claims of docs/security.md about proxies: a portal that wants more than a person at it may do.
var hostilePortalScenarios = []siege.Scenario{
	{Name: "proxies: a portal that widens permissions", Attack: attackByWidening},
	{Name: "proxies: a login at a hostile portal", Attack: attackProxyLogin},
}

// attackByWidening: a portal allows one call with permissions that the agent has not suggested, and requests files that only this
// machine has.
func attackByWidening(s *siege.Siege) {
	portal, proxy, id := foreign(s)
	c := s.ConverseWith("person", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, Observer: true}) // the portal types
	portal.Say(id, "run:touch first.txt", "", "")
	asked, next := s.Wait(c, 0, kit.IsPermission)
	shows(s, portal, id, "the request", func(at foreignportal.Session) bool { return len(at.Requests) > 0 })
	rule := foreignportal.Frame{"toolName": "Bash", "ruleContent": "*"}
	var wide []foreignportal.Frame
	for _, destination := range []string{"session", "userSettings", "projectSettings", "localSettings"} {
		wide = append(wide,
			foreignportal.Frame{"type": "addRules", "behavior": "allow", "destination": destination, "rules": []any{rule}},
			foreignportal.Frame{"type": "replaceRules", "behavior": "deny", "destination": destination, "rules": []any{}},
			foreignportal.Frame{"type": "setMode", "mode": "bypassPermissions", "destination": destination},
			foreignportal.Frame{"type": "addDirectories", "directories": []string{"/"}, "destination": destination})
	}
	portal.Answer(id, foreignportal.Frame{
		"request_id": asked.GetPermissionRequest().GetRequestId(), "allow": true, "permissions": wide,
		"input": foreignportal.Frame{"command": "touch first.txt"},
	})
	_, next = s.Wait(c, next, kit.IsTurnComplete)
	s.Held("the one call was allowed", s.Exists(s.Project("first.txt")), "it was not")
	for _, frame := range []foreignportal.Frame{
		{"type": "FileDownloadRequest", "request_id": "d", "path": s.Project("first.txt"), "max_bytes": 1 << 20},
		{"type": "FileDownloadRequest", "request_id": "e", "path": "/etc/passwd", "max_bytes": 1 << 20},
		{"type": "ForwardOpen", "port": 22},
		{"type": "TunnelOpen", "stream_id": 1, "port": 22},
		{"type": "TunnelData", "stream_id": 1, "data": "eA=="},
		{"type": "LaunchSession", "working_directory": "/"},
		{"type": "SetPermissionMode", "mode": "bypassPermissions"},
		{"type": "control_request", "request": foreignportal.Frame{"subtype": "set_permission_mode", "mode": "bypassPermissions"}},
		{"type": "Register", "session_id": id, "success": true},
		{"type": "RegisterAck", "success": true, "session_id": siege.NewSession()},
	} {
		portal.Send(id, frame)
	}
	portal.Say(id, "run:touch second.txt", "", "")
	again, _ := s.Wait(c, next, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
	s.Held("the next call asks again", kit.IsPermission(again), "%v", again)
	shown, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.Must(err, "show the session")
	grants, err := s.Daemon.Agents().ListSessionGrants(s, &pb.ListSessionGrantsRequest{SessionId: id})
	s.Must(err, "list grants")
	s.Held("there is no grant", len(grants.GetGrants()) == 0, "%v", grants)
	s.Held("the mode is as before", !strings.Contains(shown.String(), "bypassPermissions"), "%v", shown)
	s.Held("no settings were written", !s.Exists(s.Project(".claude")) && !s.Exists(filepath.Join(s.World.ConfigDir(), "settings.json")), "some were")
	at := shows(s, portal, id, "the refusals", func(at foreignportal.Session) bool { return true })
	for _, text := range []string{"root:", "tcp open"} {
		s.Held("nothing of this machine is sent: "+text, !hasNote(text)(at), "%s", at.Loose)
	}
	s.Refuse(c, again.GetPermissionRequest().GetRequestId())
	s.Held("it goes on", !strings.Contains(proxy.Log(), "panic"), "%s", proxy.Log())
}

// attackProxyLogin logs in at portals that redirect, answer without end, and answer with control sequences of terminals.
func attackProxyLogin(s *siege.Siege) {
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	s.Later(other.Close)
	const escapes = "\x1b]0;evil\x07\x1b[2J\u202eevil"
	code := map[string]any{"device_code": "d", "user_code": "ABC-DEF", "verification_uri": "", "expires_in": 1, "interval": 1}
	answers := map[string]http.HandlerFunc{
		"a redirect": http.RedirectHandler(other.URL+"/api/auth/device/code", http.StatusTemporaryRedirect).ServeHTTP,
		"an answer without end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.CopyN(w, siege.Zeros{}, 1<<30) // the program hangs up
		},
		"escapes": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/poll") {
				_ = json.NewEncoder(w).Encode(map[string]any{"status": "denied", "error": escapes})
				return
			}
			code["user_code"], code["verification_uri"] = escapes, "http://"+r.Host+"/"+escapes
			_ = json.NewEncoder(w).Encode(code)
		},
		"a status of escapes": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, escapes, http.StatusTeapot) },
		"a lifetime that overflows": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/poll") {
				_, _ = io.WriteString(w, `{"status": "complete", "access_token": "a\nb: c\r\n"}`)
				return
			}
			_, _ = io.WriteString(w, `{"device_code": "d", "user_code": "u", "verification_uri": "file:///etc/passwd", "expires_in": 9223372036854775807, "interval": -9223372036854775808}`)
		},
	}
	for name, answer := range answers {
		server := httptest.NewServer(answer)
		s.Later(server.Close)
		ctx, cancel := context.WithTimeout(s, 2*time.Minute)
		command := exec.CommandContext(ctx, s.World.Binary, "proxy", "login", "--backend-url", strings.Replace(server.URL, "http", "ws", 1))
		command.Env, command.Dir = s.World.Environ(), s.World.Project
		printed, err := command.CombinedOutput()
		s.Held(name+" logs nobody in", err != nil && ctx.Err() == nil, "%v %s", err, printed)
		cancel()
		s.Held(name+" reaches no terminal", siege.Plain(string(printed)), "%q", printed)
	}
	s.Held("no redirect is followed", strayed.Load() == 0, "%d were", strayed.Load())
	tokens, err := filepath.Glob(filepath.Join(s.World.StateDir(), "proxies", "tokens", "*"))
	s.Held("no token was stored", err == nil && len(tokens) == 0, "%v %v", tokens, err)
}
