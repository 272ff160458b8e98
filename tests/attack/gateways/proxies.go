package gateways

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/coder/websocket"

	"betcode/gateway/portal/proxy/proxytest"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/foreignportal"
	"betcode/tests/kit"
)

// proxyScenarios attack the claims of docs/security.md about proxies: the portal is hostile.
var proxyScenarios = []siege.Scenario{
	{Name: "proxies: a portal that may only view", Attack: attackProxyByViewer},
	{Name: "proxies: frames without bounds", Attack: attackProxyFrames},
	{Name: "proxies: uploads that lead elsewhere", Attack: attackProxyUploads},
	{Name: "proxies: tokens", Attack: attackProxyTokens},
}

// foreign starts a portal with a session of this daemon, which has had one turn.
func foreign(s *siege.Siege, flags ...string) (portal *foreignportal.Server, proxy *kit.Proxy, id string) {
	portal = foreignportal.NewServer(3)
	s.Later(portal.Close)
	id = afterTurn(s)
	proxy = proxies(s, append([]string{"--backend-url", portal.URL, "--session", id}, flags...)...)
	s.Must(proxy.Registered(), "register")
	return portal, proxy, id
}

// afterTurn returns a session that has had one turn, and to which no client is attached.
func afterTurn(s *siege.Siege) (id string) {
	id = siege.NewSession()
	c := s.Converse("a", id)
	s.RunTurn(c, "echo:there is a session")
	c.Close()
	s.Held("the lock is free", s.Becomes(func() bool {
		shown, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
		return err == nil && shown.GetClients() == 0
	}), "the stream stays attached")
	return id
}

func proxies(s *siege.Siege, arguments ...string) *kit.Proxy {
	proxy, err := s.World.Proxy(arguments...)
	s.Must(err, "start the proxy")
	s.Later(proxy.Kill)
	return proxy
}

// shows waits until something is at the portal.
func shows(s *siege.Siege, portal *foreignportal.Server, id, what string, is func(foreignportal.Session) bool) foreignportal.Session {
	found, err := portal.Wait(id, what, is)
	s.Must(err, "wait for the portal")
	return found
}

func hasNote(text string) func(foreignportal.Session) bool {
	return func(at foreignportal.Session) bool { return strings.Contains(fmt.Sprintf("%s", at.Loose), text) }
}

// attackProxyByViewer has a portal prompt, answer, interrupt, upload and terminate a session that it
// may only view.
func attackProxyByViewer(s *siege.Siege) {
	portal, proxy, id := foreign(s, "--read-only")
	c := s.Converse("person", id)
	s.Say(c, "run:touch approved.txt")
	asked, _ := s.Wait(c, 0, kit.IsPermission)
	portal.Say(id, "run:touch prompted.txt", "", "0b0e8a10-0000-4000-8000-00000000000a")
	portal.Say(id, "run:touch prompted.txt", "wiggum", "")
	portal.Send(id, foreignportal.Frame{"type": "ClaudeInput", "content": "run:touch prompted.txt"})
	portal.Answer(id, foreignportal.Frame{"request_id": asked.GetPermissionRequest().GetRequestId(), "allow": true, "input": foreignportal.Frame{"command": "touch approved.txt"}})
	portal.Send(id, foreignportal.Frame{"type": "Interrupt"})
	portal.Send(id, foreignportal.Frame{"type": "FileUploadStart", "upload_id": "u", "filename": "x", "content_type": "", "total_chunks": 1, "total_size": 1})
	at := shows(s, portal, id, "the refusals", func(at foreignportal.Session) bool {
		return len(at.Pending) == 0 && len(at.Loose) >= 6 && hasNote("was not stored")(at)
	})
	for _, what := range []string{"the message was not sent", "the request still waits", "its turn continues"} {
		s.Held("refused: "+what, hasNote(what)(at), "%s", at.Loose)
	}
	s.Held("no request is shown", len(at.Requests) == 0, "%v", at.Requests)
	s.Held("the stage is failed", strings.Join(at.Progress, " ") == "0b0e8a10-0000-4000-8000-00000000000a failed", "%v", at.Progress)
	s.Held("nothing was approved or prompted", !s.Exists(s.Project("approved.txt")) && !s.Exists(s.Project("prompted.txt")), "a command ran")
	portal.Send(id, foreignportal.Frame{"type": "SessionTerminated", "reason": "now"})
	code, err := proxy.Ended()
	s.Must(err, "wait for the proxy")
	shown, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.Must(err, "show the session")
	s.Held("the session goes on", code == 0 && shown.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED && len(shown.GetPermissions()) == 1, "%d %v", code, shown.GetRun())
}

// attackProxyFrames sends frames that are too large, too many, not for this proxy, or deceive a terminal.
func attackProxyFrames(s *siege.Siege) {
	portal, proxy, id := foreign(s)
	foreign := "0b0e8a10-0000-4000-8000-00000000000b"
	portal.Send(id, foreignportal.Frame{"type": "SequencedInput", "session_id": foreign, "seq": 1, "content": "run:touch foreign.txt"})
	portal.Send(id, foreignportal.Frame{"type": "SequencedInput", "session_id": id, "seq": -1, "content": "run:touch foreign.txt"})
	portal.Send(id, foreignportal.Frame{"type": "OutputAck", "session_id": id, "ack_seq": uint64(1) << 63})
	portal.Send(id, foreignportal.Frame{"type": "PermissionResponse", "request_id": "nothing", "allow": true})
	portal.Send(id, foreignportal.Frame{"type": "TunnelOpen", "stream_id": 1, "port": 22})
	portal.Send(id, foreignportal.Frame{"type": "FileDownloadRequest", "request_id": "d", "path": "/etc/passwd", "max_bytes": 1 << 20})
	for range 20_000 {
		portal.Send(id, foreignportal.Frame{"type": "PermissionResponse", "request_id": strings.Repeat("x", 1000), "allow": true})
	}
	portal.Say(id, "echo:still there", "", "")
	at := shows(s, portal, id, "an answer", func(at foreignportal.Session) bool {
		return slices.ContainsFunc(at.Lines, func(l proxytest.Line) bool { return strings.Contains(string(l.Content), `"text":"still there"`) })
	})
	s.Held("inputs of another session are ignored", !s.Exists(s.Project("foreign.txt")), "it ran")
	s.Held("a later line is sent, whatever was acknowledged", len(at.Lines) > 4, "%d lines", len(at.Lines))
	portal.Send(id, foreignportal.Frame{"type": "ServerShutdown", "reason": "\x1b]0;evil\x07\x1b[2J\u202eevil", "reconnect_delay_ms": uint64(1) << 63})
	s.Held("it obeys", s.Becomes(func() bool { return strings.Contains(proxy.Log(), "the portal restarts") }), "%s", proxy.Log())
	s.Held("no control character is in the log", !strings.ContainsAny(proxy.Log(), "\x1b\x07\u202e"), "%q", proxy.Log())
	s.Held("it stays away for five minutes at most", strings.Contains(proxy.Log(), `"wait":"5m0s"`), "%s", proxy.Log())
	peak, err := proxy.Memory()
	s.Must(err, "read the proxy's memory")
	s.Held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
	large(s)
}

// large has a portal send one frame of 100 MiB, again and again.
func large(s *siege.Siege) {
	var dials atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }() // it may be closed
		dials.Add(1)
		out, err := conn.Writer(r.Context(), websocket.MessageText)
		if err != nil {
			return
		}
		chunk := []byte(strings.Repeat("[", 1<<20))
		for range 100 {
			if _, err := out.Write(chunk); err != nil {
				return // it has hung up
			}
		}
	}))
	s.Later(server.Close)
	id := siege.NewSession()
	s.RunTurn(s.Converse("b", id), "echo:there is a session")
	proxy := proxies(s, "--backend-url", strings.Replace(server.URL, "http", "ws", 1), "--session", id)
	s.Held("a frame of 100 MiB ends the connection, and another begins", s.Becomes(func() bool { return dials.Load() >= 2 }), "%s", proxy.Log())
	peak, err := proxy.Memory()
	s.Must(err, "read the proxy's memory")
	s.Held("it is not kept", peak < 256<<20, "%d MiB at most", peak>>20)
}

// attackProxyUploads sends files under names that lead elsewhere, and more than there is room for.
func attackProxyUploads(s *siege.Siege) {
	portal, _, id := foreign(s)
	s.Write(s.Project("victim"), "precious")
	send := func(upload, name string, count, size uint64, parts ...string) foreignportal.Session {
		portal.Send(id, foreignportal.Frame{"type": "FileUploadStart", "upload_id": upload, "filename": name, "content_type": "x", "total_chunks": count, "total_size": size})
		for i, part := range parts {
			portal.Send(id, foreignportal.Frame{"type": "FileUploadChunk", "upload_id": upload, "chunk_index": i, "data": base64.StdEncoding.EncodeToString([]byte(part))})
		}
		return shows(s, portal, id, "the result of "+upload, func(at foreignportal.Session) bool { _, done := at.Uploads[upload]; return done })
	}
	for i, name := range []string{"../../victim", s.Project("victim"), `..\..\victim`, "victim", "victim", "..", ".bashrc", "a\x00b", "\x1b[2J", strings.Repeat("x", 5000), ""} {
		upload := fmt.Sprint("u", i)
		at := send(upload, name, 1, 4, "evil")
		s.Held(fmt.Sprintf("a file named %.20q is stored apart", name), at.Uploads[upload], "it is not")
	}
	s.Held("the project's file stays", s.Contains(s.Project("victim"), "precious"), "it was replaced")
	stored, err := filepath.Glob(filepath.Join(s.World.StateDir(), "proxies", "*", "uploads", "*"))
	s.Must(err, "list the uploads")
	s.Held("all are there, and nothing was replaced", len(stored) == 11, "%q", stored)
	for _, path := range stored {
		info, err := os.Lstat(path)
		s.Must(err, "look at an upload")
		name := filepath.Base(path)
		s.Held("it is private and plain: "+name, info.Mode() == 0o600 && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "\x00\x1b"), "%v", info.Mode())
	}
	for what, at := range map[string]foreignportal.Session{
		"too large":         send("l1", "x", 1, 1<<40),
		"too many pieces":   send("l2", "x", 1<<31, 4),
		"no pieces":         send("l3", "x", 0, 0),
		"more than it says": send("l4", "x", 1, 2, "evil"),
		"less than it says": send("l5", "x", 1, 9, "evil"),
	} {
		for _, upload := range []string{"l1", "l2", "l3", "l4", "l5"} {
			s.Held("a file is refused: "+what, !at.Uploads[upload], "%s is stored", upload)
		}
	}
}

// attackProxyTokens searches for the token in places where it must not be, and tries to send it elsewhere.
func attackProxyTokens(s *siege.Siege) {
	const token = "eyJ0b2tlbg.precious.secret"
	portal := foreignportal.NewServer(3)
	s.Later(portal.Close)
	portal.Token = token
	id := siege.NewSession()
	s.RunTurn(s.Converse("a", id), "echo:there is a session")
	file := filepath.Join(s.World.Root, "token")
	s.Must(os.WriteFile(file, []byte(token), 0o600), "write the token")
	proxy := proxies(s, "--backend-url", portal.URL, "--session", id, "--auth-token-file", file)
	s.Must(proxy.Registered(), "register")
	for _, name := range []string{"environ", "cmdline"} {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", proxy.PID(), name))
		s.Held("the token is not in "+name, err != nil || !strings.Contains(string(raw), token), "%s", raw)
	}
	s.Held("the token is not in the log", !strings.Contains(proxy.Log(), token), "%s", proxy.Log())
	checkpoints, err := filepath.Glob(filepath.Join(s.World.StateDir(), "proxies", "*", "*.json"))
	s.Must(err, "list the state")
	for _, path := range checkpoints {
		s.Held("the token is not in the state", !s.Contains(path, token), "%s", path)
	}
	proxy.Kill()
	s.Must(os.Chmod(file, 0o644), "open the file")
	refused := func(name, why string, code int, arguments ...string) {
		code2, err := proxies(s, append(arguments, "--session", id)...).Ended()
		s.Must(err, "wait for the proxy")
		s.Held(name, code2 == code, "%d, want %d (%s)", code2, code, why)
	}
	refused("a token that others may read is refused", "readable", 5, "--backend-url", portal.URL, "--auth-token-file", file)
	s.Must(os.Chmod(file, 0o600), "close the file")
	refused("another machine without TLS is refused", "TLS", 3, "--backend-url", "ws://192.0.2.1:1", "--auth-token-file", file)
	elsewhere(s, id, file)
}

// elsewhere runs a portal that redirects to another one, and one with an untrusted certificate.
func elsewhere(s *siege.Siege, id, file string) {
	caught := foreignportal.NewServer(3)
	s.Later(caught.Close)
	redirects := httptest.NewServer(http.RedirectHandler(strings.Replace(caught.URL, "ws://", "http://", 1)+"/ws/session", http.StatusTemporaryRedirect))
	s.Later(redirects.Close)
	proxy := proxies(s, "--backend-url", strings.Replace(redirects.URL, "http", "ws", 1), "--session", id, "--auth-token-file", file)
	s.Held("a redirect is not followed", s.Becomes(func() bool { return strings.Contains(proxy.Log(), "redirects are not followed") }) && caught.Dials() == 0, "%s", proxy.Log())
	secured := httptest.NewUnstartedServer(http.NotFoundHandler())
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	secured.StartTLS()
	s.Later(secured.Close)
	_, port, err := net.SplitHostPort(secured.Listener.Addr().String())
	s.Must(err, "read the port")
	proxy = proxies(s, "--backend-url", "wss://127.0.0.1:"+port, "--session", session2(s), "--auth-token-file", file)
	s.Held("an unknown certificate is refused", s.Becomes(func() bool { return strings.Contains(proxy.Log(), "certificate") }), "%s", proxy.Log())
}

// session2 creates another session.
func session2(s *siege.Siege) string {
	id := siege.NewSession()
	s.RunTurn(s.Converse("b", id), "echo:there is a session")
	return id
}
