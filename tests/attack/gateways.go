package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"betcode/tests/kit"
)

// gatewayScenarios attack what docs/security.md says of gateways.
var gatewayScenarios = []scenario{
	{name: "gateways: an agent's children", attack: attackGatewayByChildren},
	{name: "gateways: another user", attack: attackGatewayByUser},
	{name: "gateways: sessions of another client", attack: attackForeignSessions},
	{name: "gateways: lines without bounds", attack: attackLongLines},
	{name: "gateways: files at the path of the socket", attack: attackSocketPath},
}

func (s *siege) gateway(arguments ...string) *kit.Gateway {
	g, err := s.world.Gateway(arguments...)
	s.must(err, "start the gateway")
	s.later(g.Kill)
	return g
}

func (s *siege) client(g *kit.Gateway) *kit.Agent {
	a, err := g.Dial()
	s.must(err, "connect to the gateway")
	s.later(func() { a.Conn.Close() })
	return a
}

func (s *siege) sends(a *kit.Agent, line any) { s.must(a.Send(line), "send a line") }

func (s *siege) awaits(a *kit.Agent, kind string) kit.AgentLine {
	l, err := a.Wait(kind)
	s.must(err, "wait for a line")
	return l
}

func (s *siege) startsSession(a *kit.Agent, id, prompt string) {
	s.sends(a, map[string]any{"type": "start_session", "sessionId": id, "cwd": s.world.Project, "prompt": prompt})
}

// attackGatewayByChildren has children of an agent connect to approve its request, and to begin
// a session without rules: behind the gateway the daemon cannot know who they are.
func attackGatewayByChildren(s *siege) {
	g := s.gateway("--on-disconnect", "keep")
	person := s.client(g)
	s.startsSession(person, "s1", "run:touch approved.txt")
	s.awaits(person, "permission_request")
	c := s.converse("a", session())
	lines := []string{
		`{"type":"attach_session","sessionId":"s1"}`,
		`{"type":"permission_response","sessionId":"s1","requestId":"req_1","behavior":"allow"}`,
		fmt.Sprintf(`{"type":"start_session","sessionId":"s2","cwd":%q,"prompt":"echo:mine"}`, s.world.Project),
	}
	var script, start strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&script, "\"$probe\" lines %q '%s' $1.%d\n", g.Path, line, i)
	}
	s.write(s.project("lines.sh"), script.String()+"touch $1.done\n")
	fmt.Fprintf(&start, "export betcode=%q probe=%q\n", s.world.Binary, s.built.probe)
	for i, way := range callers {
		fmt.Fprintf(&start, "set -- lines.sh %d\n%s </dev/null >/dev/null 2>&1\n", i, way[1])
	}
	s.write(s.project("start.sh"), start.String())
	s.runTurn(c, "run:sh start.sh")
	for i, way := range callers {
		name := s.project(fmt.Sprint(i))
		if !s.becomes(func() bool { return s.exists(name + ".done") }) {
			s.fail("%s does not come to its end", way[0])
		}
		for n, line := range lines {
			out, err := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.must(err, "read what the gateway said")
			s.held(way[0]+" is refused: "+line, strings.Contains(string(out), "may only view"), "%s", out)
		}
	}
	s.held("nothing was approved", !s.exists(s.project("approved.txt")), "the command ran")
	s.sends(person, map[string]any{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "allow"})
	s.held("a person may approve", s.becomes(func() bool { return s.exists(s.project("approved.txt")) }), "the command did not run")
}

// attackGatewayByUser connects as another user, to a socket that everybody can reach.
func attackGatewayByUser(s *siege) {
	const name = "another user is refused, also where the directory is open"
	g := s.gateway()
	info, err := os.Stat(filepath.Dir(g.Path))
	s.must(err, "look at the directory")
	socket, err := os.Lstat(g.Path)
	s.must(err, "look at the socket")
	s.held("the directory is closed to others", info.Mode().Perm() == 0o700 && socket.Mode().Perm() == 0o600, "%v %v", info.Mode(), socket.Mode())
	if os.Geteuid() != 0 {
		s.untried(name)
		return
	}
	for path := g.Path; path != filepath.Dir(s.world.Root); path = filepath.Dir(path) {
		s.must(os.Chmod(path, 0o777), "open the way")
	}
	out := filepath.Join(s.world.Root, "out")
	probe := filepath.Join(s.world.Root, "probe") // where the other user may execute it
	raw, err := os.ReadFile(s.built.probe)
	s.must(err, "read the probe")
	s.must(os.WriteFile(probe, raw, 0o755), "copy the probe") //nolint:gosec // for another user
	command := exec.Command(probe, "lines", g.Path, `{"type":"close_session","sessionId":"s1"}`, out)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	printed, err := command.CombinedOutput()
	if err != nil {
		s.fail("run the probe: %v: %s", err, printed)
	}
	said, err := os.ReadFile(out)
	s.must(err, "read what the gateway said")
	s.held(name, string(said) == ".", "it was told %s", said)
	mine := s.client(g)
	s.sends(mine, `{"type":"close_session","sessionId":"s1"}`)
	s.held("the user is served", s.awaits(mine, "error").Text("error") == "Session 's1' not found", "it is not")
}

// attackForeignSessions answers, prompts and ends sessions of another connection.
func attackForeignSessions(s *siege) {
	g := s.gateway()
	mine, other := s.client(g), s.client(g)
	s.startsSession(mine, "s1", "run:touch approved.txt")
	s.awaits(mine, "permission_request")
	about := []map[string]any{
		{"type": "permission_response", "requestId": "req_1", "behavior": "allow"},
		{"type": "send_prompt", "prompt": "echo:foreign"},
		{"type": "interrupt"},
		{"type": "close_session"},
	}
	all := func() {
		for _, line := range about {
			line["sessionId"] = "s1"
			s.sends(other, line)
		}
	}
	all()
	s.held("an id of another connection is unknown", s.awaits(other, "error").Text("error") == "Session 's1' not found", "%v", other.Types())
	s.startsSession(other, "s1", "echo:second")
	s.held("an id is used once", s.awaits(other, "error").Text("error") == "Session 's1' already exists", "%v", other.Types())
	s.sends(other, map[string]any{"type": "attach_session", "sessionId": "s1"})
	s.held("it may watch", s.awaits(other, "session_attached").Of["owner"] == false, "%v", other.Types())
	all()
	for range 3 {
		got := s.awaits(other, "error").Text("error")
		s.held("a watcher changes nothing", got == "Session 's1' belongs to another connection", "%s", got)
	}
	s.awaits(other, "session_status closed") // its watching
	s.held("nothing was approved", !s.exists(s.project("approved.txt")), "the command ran")
	s.sends(mine, map[string]any{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "deny"})
	s.awaits(mine, "session_status idle")
}

// attackLongLines sends lines that have no end, and other nonsense.
func attackLongLines(s *siege) {
	g := s.gateway()
	a := s.client(g)
	chunk := strings.Repeat("x", 1<<20)
	for range 250 { // in one line
		_, err := a.Conn.Write([]byte(chunk))
		s.must(err, "write")
	}
	s.sends(a, "")
	s.held("a line of 250 MiB is answered", strings.Contains(s.awaits(a, "error").Text("error"), "20 MiB"), "%v", a.Lines)
	peak, err := g.Memory()
	s.must(err, "read the gateway's memory")
	s.held("it is not kept", peak < 192<<20, "%d MiB at most", peak>>20)
	for _, line := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), "\x00\xff", `{"type":"start_session","sessionId":"` + chunk + `","cwd":7}`} {
		s.sends(a, line)
		s.awaits(a, "error")
	}
	s.startsSession(a, "s1", "echo:still there")
	s.held("the connection stays", s.awaits(a, "assistant_text").Text("text") == "still there", "it does not")
	s.awaits(a, "session_status idle")
}

// attackSocketPath puts links, files and sockets where the gateway wants its socket.
func attackSocketPath(s *siege) {
	path := s.world.AgentSocket()
	directory := filepath.Dir(path)
	victim := filepath.Join(s.world.Root, "victim")
	s.write(victim, "precious")
	refused := func(name, why string) {
		g, err := s.world.Gateway()
		if err == nil {
			g.Kill()
		}
		s.held(name, err != nil && strings.Contains(err.Error(), why), "%v", err)
	}
	s.must(os.MkdirAll(directory, 0o700), "make the directory")
	s.must(os.Symlink(victim, path), "make a link")
	refused("a link at the path is not followed and not removed", "is no socket")
	s.must(os.Remove(path), "remove the link")
	s.write(path, "a file")
	refused("a file at the path is not removed", "is no socket")
	s.held("files stay", s.contains(path, "a file") && s.contains(victim, "precious"), "they are gone")
	s.must(os.Remove(path), "remove the file")
	l, err := net.Listen("unix", path)
	s.must(err, "listen")
	refused("a socket that answers is not replaced", "another gateway answers")
	s.must(l.Close(), "close")
	s.must(os.Remove(directory), "remove the directory")
	s.must(os.Symlink(s.world.Home, directory), "make a link")
	refused("a link in place of the directory", "is a link or a file")
	s.must(os.Remove(directory), "remove the link")
	s.must(os.MkdirAll(directory, 0o777), "make the directory")
	s.must(os.Chmod(directory, 0o777), "open the directory")
	s.write(filepath.Join(directory, "other"), "x")
	refused("an open directory with other files", "others may enter")
	s.must(os.Remove(filepath.Join(directory, "other")), "remove the file")
	const foreign = "a directory of another user"
	if os.Geteuid() == 0 {
		s.must(os.Chown(directory, 65534, 65534), "give the directory away")
		refused(foreign, "belongs to user 65534")
		s.must(os.Chown(directory, 0, 0), "take the directory back")
	} else {
		s.untried(foreign)
	}
	g := s.gateway()
	info, err := os.Stat(directory)
	s.must(err, "look at the directory")
	s.held("an empty directory is closed", info.Mode().Perm() == 0o700, "%v", info.Mode())
	g.Kill()
	s.gateway() // a stale socket is replaced
	if _, err := os.Lstat(path); err != nil {
		s.held("a stale socket is replaced", false, "%v", err)
	}
}
