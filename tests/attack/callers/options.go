package callers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// optionScenarios attack the claims of docs/security.md about the options that a session's agents
// are started with.
var optionScenarios = []siege.Scenario{
	{Name: "options: a caller without the right", Env: siege.Listening, Attack: optionsOfController},
	{Name: "options: directories of the daemon", Attack: optionsOfPlaces},
}

// begin attaches to a session with options and returns the code with which that was
// refused, or OK.
func begin(s *siege.Siege, d *kit.Daemon, id string, o *pb.AgentOptions) (*kit.Stream, codes.Code) {
	c, err := d.Converse(s, "a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, Options: o})
	s.Must(err, "converse")
	s.Streams = append(s.Streams, c)
	_, _, err = c.Wait(0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	return c, status.Code(err)
}

// unmade reports whether there is nothing of a session: no record and no run.
func unmade(s *siege.Siege, id string) bool {
	_, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	return status.Code(err) == codes.NotFound && !s.Exists(filepath.Join(s.World.StateDir(), "runs", id))
}

// argv is the command line of a session's agent.
func argv(s *siege.Siege, id string) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.Shown(id).GetRun().GetPid()))
	s.Must(err, "look at the agent")
	return strings.Split(string(raw), "\x00")
}

// optionsOfController begins sessions whose agents could do more than others, or would start
// programs, with a token that may control and not approve, and with one for the reverse.
func optionsOfController(s *siege.Siege) {
	added := filepath.Join(s.World.Root, "added")
	s.Must(os.MkdirAll(added, 0o700), "make a directory")
	widening := map[string]*pb.AgentOptions{
		"a directory":  {AdditionalDirectories: []string{added}},
		"MCP servers":  {McpConfig: []byte(s.Server("remote"))},
		"agents":       {Agents: []byte(`{"sly":{"description":"d","prompt":"p"}}`)},
		"an agent":     {Agent: "sly"},
		"among others": {Effort: "low", MaxTurns: 3, AdditionalDirectories: []string{added}},
	}
	owned := siege.NewSession()
	s.Turn(s.Converse("person", owned), "echo:hello")
	address := s.Address()
	for right, scopes := range map[string][]string{"approve": {"view", "control"}, "control": {"view", "approve"}} {
		caller := s.Daemon.Over(s.Remote(address, s.Token("without-"+right, scopes...)))
		for what, o := range widening {
			id := siege.NewSession()
			_, code := begin(s, caller, id, o)
			s.Held("without "+right+": "+what, code == codes.PermissionDenied && unmade(s, id), "%s, nothing made: %t", code, unmade(s, id))
		}
		_, code := begin(s, caller, owned, widening["a directory"])
		s.Held("without "+right+": a session that exists", code == codes.PermissionDenied, "%s", code)
	}
	s.Held("the session that exists has no options", s.Shown(owned).GetOptions() == nil, "%v", s.Shown(owned).GetOptions())

	// The same with both rights: so it was the right that was missing.
	id := siege.NewSession()
	both := s.Daemon.Over(s.Remote(address, s.Token("both", "view", "control", "approve")))
	c, code := begin(s, both, id, widening["among others"])
	s.Held("a caller with both rights may", code == codes.OK, "%s", code)
	s.Turn(c, "echo:hello")
	argv := argv(s, id)
	at := slices.Index(argv, "--add-dir")
	s.Held("and the agent gets the directory", at > 0 && argv[at+1] == added, "%q", argv)
}

// optionsOfPlaces adds directories of the daemon's own, by name and through links, and
// exchanges one that was added for a link to them.
func optionsOfPlaces(s *siege.Siege) {
	state, elsewhere := s.World.StateDir(), filepath.Join(s.World.Root, "elsewhere")
	link := func(name, target string) string {
		path := filepath.Join(elsewhere, name)
		s.Must(os.Symlink(target, path), "link")
		return path
	}
	s.Must(os.MkdirAll(filepath.Join(elsewhere, "deep", "added"), 0o700), "make a directory")
	for what, dir := range map[string]string{
		"the state directory":             state,
		"a directory in it":               filepath.Join(state, "runs"),
		"a directory that holds it":       filepath.Dir(state),
		"the root":                        "/",
		"a spelling with dots":            s.World.Project + "/.." + strings.TrimPrefix(state, filepath.Dir(s.World.Project)),
		"a link to it":                    link("to-state", state),
		"a link to one in it":             link("to-runs", filepath.Join(state, "runs")),
		"a link to one that holds it":     link("to-parent", filepath.Dir(state)),
		"a link to a link":                link("to-link", filepath.Join(elsewhere, "to-state")),
		"a directory behind a link":       filepath.Join(elsewhere, "to-parent", filepath.Base(state), "journal"),
		"the directory of its settings":   s.World.ConfigDir(),
		"a link to the one of its socket": link("to-socket", filepath.Dir(s.World.Socket())),
	} {
		id := siege.NewSession()
		_, code := begin(s, s.Daemon, id, &pb.AgentOptions{AdditionalDirectories: []string{dir}})
		s.Held(what, code == codes.InvalidArgument && unmade(s, id), "%s, nothing made: %t", code, unmade(s, id))
	}

	id, added := siege.NewSession(), filepath.Join(elsewhere, "deep", "added")
	through := link("to-added", added)
	c, code := begin(s, s.Daemon, id, &pb.AgentOptions{AdditionalDirectories: []string{through}})
	s.Held("a link to another directory is taken", code == codes.OK, "%s", code)
	s.Must(os.Remove(through), "remove a link")
	link("to-added", state)
	s.Turn(c, "echo:hello")
	argv := argv(s, id)
	s.Held("the agent gets what the link led to when it was checked",
		slices.Contains(argv, added) && !slices.Contains(argv, through) && !slices.Contains(argv, state), "%q", argv)
	for what, swapped := range map[string]string{"the directory is a link by now": added, "one above it is": filepath.Dir(added)} {
		trySwap(s, c, id, what, swapped)
	}
}

// trySwap exchanges a directory for a link to the state directory while the session has no
// agent, and back.
func trySwap(s *siege.Siege, c *kit.Stream, id, what, dir string) {
	_, err := s.Daemon.Admin().StopSession(s, &pb.StopSessionRequest{SessionId: id})
	s.Must(err, "stop the session")
	s.Must(os.Rename(dir, dir+".kept"), "move a directory")
	s.Must(os.Symlink(s.World.StateDir(), dir), "link")
	if dir != s.Shown(id).GetOptions().GetAdditionalDirectories()[0] { // a directory above it
		s.Must(os.MkdirAll(filepath.Join(s.World.StateDir(), "added"), 0o700), "make a directory")
	}
	from := len(c.Events())
	s.Say(c, "echo:after the swap")
	s.Wait(c, from, func(e kit.Event) bool { return e.GetError() != nil || kit.IsTurnComplete(e) })
	started := slices.ContainsFunc(c.Events()[from:], kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.Held(what+": no agent is started", s.Shown(id).GetSummary().GetCondition() == "working_directory_gone" && !started, "%s, started: %t", s.Shown(id).GetSummary().GetCondition(), started)
	s.Must(os.Remove(dir), "remove a link")
	s.Must(os.Rename(dir+".kept", dir), "move a directory")
	s.Turn(c, "echo:as it was")
	s.Held(what+": it goes on when the directory is back", slices.Contains(argv(s, id), s.Shown(id).GetOptions().GetAdditionalDirectories()[0]), "%q", argv(s, id))
}
