package trust

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// endlessScenarios attack the daemon through files of agents that have no end.
var endlessScenarios = []siege.Scenario{
	{Name: "agents' files without an end", Attack: attackEndless},
	{Name: "fence: a repository's files without an end", Settings: `{"agent": {"fence": "project"}}`, Attack: attackEndlessRepository},
}

// patience is the deadline of calls that take milliseconds.
const patience = time.Minute

// returns reports whether a call has an answer, whatever it is.
func returns(s *siege.Siege, call func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(s, patience)
	defer cancel()
	_ = call(ctx) // refused is answered
	return ctx.Err() == nil
}

func attackEndless(s *siege.Siege) {
	id := siege.NewSession()
	c := s.Converse("a", id)
	s.Turn(c, "echo:hello")
	home := filepath.Join(s.World.Home, ".claude")
	transcripts, err := filepath.Glob(filepath.Join(home, "projects", "*", "*.jsonl"))
	if err != nil || len(transcripts) != 1 {
		s.Fail("transcripts: %q, %v", transcripts, err)
	}
	explain := func(ctx context.Context) error {
		_, err := s.Daemon.Admin().ExplainPermission(ctx, &pb.ExplainPermissionRequest{SessionId: id, ToolName: "Bash", Argument: "touch x"})
		return err
	}
	registry := func(ctx context.Context) error {
		_, err := pb.NewCommandServiceClient(s.Daemon.Conn()).GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: id})
		return err
	}
	fork := func(ctx context.Context) error {
		_, err := s.Daemon.Admin().ForkSession(ctx, &pb.ForkSessionRequest{SessionId: id})
		return err
	}
	skill := filepath.Join(home, "skills", "x", "SKILL.md")
	for _, file := range []struct {
		name, path string
		call       func(context.Context) error
	}{
		{"the agent's settings", filepath.Join(home, "settings.json"), explain},
		{"a skill", skill, registry},
		{"servers of the directory", s.Project(".mcp.json"), registry},
		{"the transcript, for a fork", transcripts[0], fork},
	} {
		kept, _ := os.ReadFile(file.path)
		s.Pipe(file.path)
		s.Held("a pipe in place of "+file.name, returns(s, file.call), "the call has no answer")
		before := s.PeakMemory()
		s.Sparse(file.path)
		s.Held("a large file in place of "+file.name, returns(s, file.call), "the call has no answer")
		grown := s.PeakMemory() - before
		s.Held("which is not kept in memory: "+file.name, grown < 256<<20, "it grew by %d MiB", grown>>20)
		s.Must(os.Remove(file.path), "remove the file")
		if kept != nil {
			s.Write(file.path, string(kept))
		}
	}
	// The daemon reads the transcript of a killed agent before it restarts the agent.
	from := len(c.Events())
	s.Say(c, "gate:open")
	s.Wait(c, from, func(e kit.Event) bool { return e.GetStatusChange().GetStatus() == pb.AgentStatus_THINKING })
	pid := int(s.Shown(id).GetRun().GetPid())
	s.Pipe(transcripts[0])
	s.Must(syscall.Kill(pid, syscall.SIGKILL), "kill the agent")
	s.Wait(c, from, siege.IsNotice("TRANSCRIPT_UNREADABLE"))
	s.Held("a pipe in place of the transcript, after a crash", true, "")
}

func attackEndlessRepository(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	tree := filepath.Join(s.World.Root, "main", ".git", "worktrees", "x")
	for n, name := range []string{"gitdir", "commondir"} {
		s.Write(filepath.Join(tree, "gitdir"), s.Project(".git")+"\n")
		s.Write(s.Project(".git"), "gitdir: "+tree+"\n")
		s.Pipe(filepath.Join(tree, name))
		c := s.Converse("pipe"+name, siege.NewSession())
		s.Turn(c, "echo:hello")
		s.Held("a pipe in place of "+name, true, "")
		before := s.PeakMemory()
		s.Sparse(filepath.Join(tree, name))
		c = s.Converse("large"+name, siege.NewSession())
		s.Turn(c, strings.Repeat("echo:hello", n+1))
		grown := s.PeakMemory() - before
		s.Held("a large file in place of "+name, grown < 256<<20, "it grew by %d MiB", grown>>20)
	}
}
