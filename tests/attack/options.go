package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// optionScenarios attack what docs/security.md says of the options that a session's agents
// are started with.
var optionScenarios = []scenario{
	{name: "options: a caller without the right", env: listening, attack: optionsOfController},
	{name: "options: directories of the daemon", attack: optionsOfPlaces},
}

// begin attaches to a session with options and returns the code with which that was
// refused, or OK.
func (s *siege) begin(d *kit.Daemon, id string, o *pb.AgentOptions) (*kit.Stream, codes.Code) {
	c, err := d.Converse(s, "a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Options: o})
	s.must(err, "converse")
	s.streams = append(s.streams, c)
	_, _, err = c.Wait(0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	return c, status.Code(err)
}

// unmade reports whether there is nothing of a session: no record and no run.
func (s *siege) unmade(id string) bool {
	_, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	return status.Code(err) == codes.NotFound && !s.exists(filepath.Join(s.world.StateDir(), "runs", id))
}

// argv is the command line of a session's agent.
func (s *siege) argv(id string) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.shown(id).GetRun().GetPid()))
	s.must(err, "look at the agent")
	return strings.Split(string(raw), "\x00")
}

// optionsOfController begins sessions whose agents could do more than others, or would start
// programs, with a token that may control and not approve, and with one for the reverse.
func optionsOfController(s *siege) {
	added := filepath.Join(s.world.Root, "added")
	s.must(os.MkdirAll(added, 0o700), "make a directory")
	widening := map[string]*pb.AgentOptions{
		"a directory":  {AdditionalDirectories: []string{added}},
		"MCP servers":  {McpConfig: []byte(s.server("remote"))},
		"agents":       {Agents: []byte(`{"sly":{"description":"d","prompt":"p"}}`)},
		"an agent":     {Agent: "sly"},
		"among others": {Effort: "low", MaxTurns: 3, AdditionalDirectories: []string{added}},
	}
	owned := session()
	s.turn(s.converse("person", owned), "echo:hello")
	address := s.address()
	for right, scopes := range map[string][]string{"approve": {"view", "control"}, "control": {"view", "approve"}} {
		caller := s.daemon.Over(s.remote(address, s.token("without-"+right, scopes...)))
		for what, o := range widening {
			id := session()
			_, code := s.begin(caller, id, o)
			s.held("without "+right+": "+what, code == codes.PermissionDenied && s.unmade(id), "%s, nothing made: %t", code, s.unmade(id))
		}
		_, code := s.begin(caller, owned, widening["a directory"])
		s.held("without "+right+": a session that exists", code == codes.PermissionDenied, "%s", code)
	}
	s.held("the session that exists has no options", s.shown(owned).GetOptions() == nil, "%v", s.shown(owned).GetOptions())

	// The same with both rights: so it was the right that was missing.
	id := session()
	both := s.daemon.Over(s.remote(address, s.token("both", "view", "control", "approve")))
	c, code := s.begin(both, id, widening["among others"])
	s.held("a caller with both rights may", code == codes.OK, "%s", code)
	s.turn(c, "echo:hello")
	argv := s.argv(id)
	at := slices.Index(argv, "--add-dir")
	s.held("and the agent gets the directory", at > 0 && argv[at+1] == added, "%q", argv)
}

// optionsOfPlaces adds directories of the daemon's own, by name and through links, and
// exchanges one that was added for a link to them.
func optionsOfPlaces(s *siege) {
	state, elsewhere := s.world.StateDir(), filepath.Join(s.world.Root, "elsewhere")
	link := func(name, target string) string {
		path := filepath.Join(elsewhere, name)
		s.must(os.Symlink(target, path), "link")
		return path
	}
	s.must(os.MkdirAll(filepath.Join(elsewhere, "deep", "added"), 0o700), "make a directory")
	for what, dir := range map[string]string{
		"the state directory":             state,
		"a directory in it":               filepath.Join(state, "runs"),
		"a directory that holds it":       filepath.Dir(state),
		"the root":                        "/",
		"a spelling with dots":            s.world.Project + "/.." + strings.TrimPrefix(state, filepath.Dir(s.world.Project)),
		"a link to it":                    link("to-state", state),
		"a link to one in it":             link("to-runs", filepath.Join(state, "runs")),
		"a link to one that holds it":     link("to-parent", filepath.Dir(state)),
		"a link to a link":                link("to-link", filepath.Join(elsewhere, "to-state")),
		"a directory behind a link":       filepath.Join(elsewhere, "to-parent", filepath.Base(state), "journal"),
		"the directory of its settings":   s.world.ConfigDir(),
		"a link to the one of its socket": link("to-socket", filepath.Dir(s.world.Socket())),
	} {
		id := session()
		_, code := s.begin(s.daemon, id, &pb.AgentOptions{AdditionalDirectories: []string{dir}})
		s.held(what, code == codes.InvalidArgument && s.unmade(id), "%s, nothing made: %t", code, s.unmade(id))
	}

	id, added := session(), filepath.Join(elsewhere, "deep", "added")
	through := link("to-added", added)
	c, code := s.begin(s.daemon, id, &pb.AgentOptions{AdditionalDirectories: []string{through}})
	s.held("a link to another directory is taken", code == codes.OK, "%s", code)
	s.must(os.Remove(through), "remove a link")
	link("to-added", state)
	s.turn(c, "echo:hello")
	argv := s.argv(id)
	s.held("the agent gets what the link led to when it was checked",
		slices.Contains(argv, added) && !slices.Contains(argv, through) && !slices.Contains(argv, state), "%q", argv)
	for what, swapped := range map[string]string{"the directory is a link by now": added, "one above it is": filepath.Dir(added)} {
		s.swapped(c, id, what, swapped)
	}
}

// swapped exchanges a directory for a link to the state directory while the session has no
// agent, and back.
func (s *siege) swapped(c *kit.Stream, id, what, dir string) {
	_, err := s.daemon.Admin().StopSession(s, &pb.StopSessionRequest{SessionId: id})
	s.must(err, "stop the session")
	s.must(os.Rename(dir, dir+".kept"), "move a directory")
	s.must(os.Symlink(s.world.StateDir(), dir), "link")
	if dir != s.shown(id).GetOptions().GetAdditionalDirectories()[0] { // a directory above it
		s.must(os.MkdirAll(filepath.Join(s.world.StateDir(), "added"), 0o700), "make a directory")
	}
	from := len(c.Events())
	s.say(c, "echo:after the swap")
	s.wait(c, from, func(e kit.Event) bool { return e.GetError() != nil || kit.IsTurnComplete(e) })
	started := slices.ContainsFunc(c.Events()[from:], kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.held(what+": no agent is started", s.shown(id).GetSummary().GetCondition() == "working_directory_gone" && !started, "%s, started: %t", s.shown(id).GetSummary().GetCondition(), started)
	s.must(os.Remove(dir), "remove a link")
	s.must(os.Rename(dir+".kept", dir), "move a directory")
	s.turn(c, "echo:as it was")
	s.held(what+": it goes on when the directory is back", slices.Contains(s.argv(id), s.shown(id).GetOptions().GetAdditionalDirectories()[0]), "%q", s.argv(id))
}
