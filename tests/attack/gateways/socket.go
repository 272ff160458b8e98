package gateways

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// gatewayScenarios attack the claims of docs/security.md about gateways.
var gatewayScenarios = []siege.Scenario{
	{Name: "gateways: an agent's children", Attack: attackGatewayByChildren},
	{Name: "gateways: another user", Attack: attackGatewayByUser},
	{Name: "gateways: sessions of another client", Attack: attackForeignSessions},
	{Name: "gateways: lines without bounds", Attack: attackLongLines},
	{Name: "gateways: files at the path of the socket", Attack: attackSocketPath},
}

func gateway(s *siege.Siege, arguments ...string) *kit.Gateway {
	g, err := s.World.Gateway(arguments...)
	s.Must(err, "start the gateway")
	s.Later(g.Kill)
	return g
}

func client(s *siege.Siege, g *kit.Gateway) *kit.Agent {
	a, err := g.Dial()
	s.Must(err, "connect to the gateway")
	s.Later(func() { a.Conn.Close() })
	return a
}

func sends(s *siege.Siege, a *kit.Agent, line any) { s.Must(a.Send(line), "send a line") }

func awaits(s *siege.Siege, a *kit.Agent, kind string) kit.AgentLine {
	l, err := a.Wait(kind)
	s.Must(err, "wait for a line")
	return l
}

func startsSession(s *siege.Siege, a *kit.Agent, id, prompt string) {
	sends(s, a, map[string]any{"type": "start_session", "sessionId": id, "cwd": s.World.Project, "prompt": prompt})
}

// attackGatewayByChildren has children of an agent connect to approve its request, and to begin
// a session without rules: behind the gateway the daemon cannot know who they are.
func attackGatewayByChildren(s *siege.Siege) {
	g := gateway(s, "--on-disconnect", "keep")
	person := client(s, g)
	startsSession(s, person, "s1", "run:touch approved.txt")
	awaits(s, person, "permission_request")
	c := s.Converse("a", siege.NewSession())
	lines := []string{
		`{"type":"attach_session","sessionId":"s1"}`,
		`{"type":"permission_response","sessionId":"s1","requestId":"req_1","behavior":"allow"}`,
		fmt.Sprintf(`{"type":"start_session","sessionId":"s2","cwd":%q,"prompt":"echo:mine"}`, s.World.Project),
	}
	var script strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&script, "\"$probe\" lines %q '%s' $1.%d\n", g.Path, line, i)
	}
	s.RunAsCallers(c, script.String()+"touch $1.done\n", func(way, name string) {
		for n, line := range lines {
			out, err := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.Must(err, "read what the gateway said")
			s.Held(way+" is refused: "+line, strings.Contains(string(out), "may only view"), "%s", out)
		}
	})
	s.Held("nothing was approved", !s.Exists(s.Project("approved.txt")), "the command ran")
	sends(s, person, map[string]any{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "allow"})
	s.Held("a person may approve", s.Becomes(func() bool { return s.Exists(s.Project("approved.txt")) }), "the command did not run")
}

// attackGatewayByUser connects as another user, to a socket that everybody can reach.
func attackGatewayByUser(s *siege.Siege) {
	const name = "another user is refused, also where the directory is open"
	g := gateway(s)
	info, err := os.Stat(filepath.Dir(g.Path))
	s.Must(err, "look at the directory")
	socket, err := os.Lstat(g.Path)
	s.Must(err, "look at the socket")
	s.Held("the directory is closed to others", info.Mode().Perm() == 0o700 && socket.Mode().Perm() == 0o600, "%v %v", info.Mode(), socket.Mode())
	if os.Geteuid() != 0 {
		s.Untried(name)
		return
	}
	for path := g.Path; path != filepath.Dir(s.World.Root); path = filepath.Dir(path) {
		s.Must(os.Chmod(path, 0o777), "open the way")
	}
	out := filepath.Join(s.World.Root, "out")
	probe := filepath.Join(s.World.Root, "probe") // where the other user may execute it
	raw, err := os.ReadFile(s.Built.Probe)
	s.Must(err, "read the probe")
	s.Must(os.WriteFile(probe, raw, 0o755), "copy the probe") //nolint:gosec // for another user
	command := exec.Command(probe, "lines", g.Path, `{"type":"close_session","sessionId":"s1"}`, out)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	printed, err := command.CombinedOutput()
	if err != nil {
		s.Fail("run the probe: %v: %s", err, printed)
	}
	said, err := os.ReadFile(out)
	s.Must(err, "read what the gateway said")
	s.Held(name, string(said) == ".", "it was told %s", said)
	mine := client(s, g)
	sends(s, mine, `{"type":"close_session","sessionId":"s1"}`)
	s.Held("the user is served", awaits(s, mine, "error").Text("error") == "Session 's1' not found", "it is not")
}

// attackForeignSessions answers, prompts and ends sessions of another connection.
func attackForeignSessions(s *siege.Siege) {
	g := gateway(s)
	mine, other := client(s, g), client(s, g)
	startsSession(s, mine, "s1", "run:touch approved.txt")
	awaits(s, mine, "permission_request")
	about := []map[string]any{
		{"type": "permission_response", "requestId": "req_1", "behavior": "allow"},
		{"type": "send_prompt", "prompt": "echo:foreign"},
		{"type": "interrupt"},
		{"type": "close_session"},
	}
	all := func() {
		for _, line := range about {
			line["sessionId"] = "s1"
			sends(s, other, line)
		}
	}
	all()
	s.Held("an id of another connection is unknown", awaits(s, other, "error").Text("error") == "Session 's1' not found", "%v", other.Types())
	startsSession(s, other, "s1", "echo:second")
	s.Held("an id is used once", awaits(s, other, "error").Text("error") == "Session 's1' already exists", "%v", other.Types())
	sends(s, other, map[string]any{"type": "attach_session", "sessionId": "s1"})
	s.Held("it may watch", awaits(s, other, "session_attached").Of["owner"] == false, "%v", other.Types())
	all()
	for range 3 {
		got := awaits(s, other, "error").Text("error")
		s.Held("a watcher changes nothing", got == "Session 's1' belongs to another connection", "%s", got)
	}
	awaits(s, other, "session_status closed") // its watching
	s.Held("nothing was approved", !s.Exists(s.Project("approved.txt")), "the command ran")
	sends(s, mine, map[string]any{"type": "permission_response", "sessionId": "s1", "requestId": "req_1", "behavior": "deny"})
	awaits(s, mine, "session_status idle")
}

// attackLongLines sends lines that have no end, and other nonsense.
func attackLongLines(s *siege.Siege) {
	g := gateway(s)
	a := client(s, g)
	chunk := strings.Repeat("x", 1<<20)
	for range 250 { // In one line
		_, err := a.Conn.Write([]byte(chunk))
		s.Must(err, "write")
	}
	sends(s, a, "")
	s.Held("a line of 250 MiB is answered", strings.Contains(awaits(s, a, "error").Text("error"), "20 MiB"), "%v", a.Lines)
	peak, err := g.Memory()
	s.Must(err, "read the gateway's memory")
	s.Held("it is not kept", peak < 192<<20, "%d MiB at most", peak>>20)
	for _, line := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), "\x00\xff", `{"type":"start_session","sessionId":"` + chunk + `","cwd":7}`} {
		sends(s, a, line)
		awaits(s, a, "error")
	}
	startsSession(s, a, "s1", "echo:still there")
	s.Held("the connection stays", awaits(s, a, "assistant_text").Text("text") == "still there", "it does not")
	awaits(s, a, "session_status idle")
}

// attackSocketPath puts links, files and sockets where the gateway wants its socket.
func attackSocketPath(s *siege.Siege) {
	path := s.World.AgentSocket()
	directory := filepath.Dir(path)
	victim := filepath.Join(s.World.Root, "victim")
	s.Write(victim, "precious")
	refused := func(name, why string) {
		g, err := s.World.Gateway()
		if err == nil {
			g.Kill()
		}
		s.Held(name, err != nil && strings.Contains(err.Error(), why), "%v", err)
	}
	s.Must(os.MkdirAll(directory, 0o700), "make the directory")
	s.Must(os.Symlink(victim, path), "make a link")
	refused("a link at the path is not followed and not removed", "is no socket")
	s.Must(os.Remove(path), "remove the link")
	s.Write(path, "a file")
	refused("a file at the path is not removed", "is no socket")
	s.Held("files stay", s.Contains(path, "a file") && s.Contains(victim, "precious"), "they are gone")
	s.Must(os.Remove(path), "remove the file")
	l, err := net.Listen("unix", path)
	s.Must(err, "listen")
	refused("a socket that answers is not replaced", "another gateway answers")
	s.Must(l.Close(), "close")
	s.Must(os.Remove(directory), "remove the directory")
	s.Must(os.Symlink(s.World.Home, directory), "make a link")
	refused("a link in place of the directory", "is a link or a file")
	s.Must(os.Remove(directory), "remove the link")
	s.Must(os.MkdirAll(directory, 0o777), "make the directory")
	s.Must(os.Chmod(directory, 0o777), "open the directory")
	s.Write(filepath.Join(directory, "other"), "x")
	refused("an open directory with other files", "others may enter")
	s.Must(os.Remove(filepath.Join(directory, "other")), "remove the file")
	const foreign = "a directory of another user"
	if os.Geteuid() == 0 {
		s.Must(os.Chown(directory, 65534, 65534), "give the directory away")
		refused(foreign, "belongs to user 65534")
		s.Must(os.Chown(directory, 0, 0), "take the directory back")
	} else {
		s.Untried(foreign)
	}
	g := gateway(s)
	info, err := os.Stat(directory)
	s.Must(err, "look at the directory")
	s.Held("an empty directory is closed", info.Mode().Perm() == 0o700, "%v", info.Mode())
	g.Kill()
	gateway(s) // a stale socket is replaced
	if _, err := os.Lstat(path); err != nil {
		s.Held("a stale socket is replaced", false, "%v", err)
	}
}
