package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// endlessScenarios attack the daemon by what it reads of agents: files that have no end.
var endlessScenarios = []scenario{
	{name: "agents' files without an end", attack: attackEndless},
	{name: "fence: a repository's files without an end", settings: `{"agent": {"fence": "project"}}`, attack: attackEndlessRepository},
}

// patience is for calls that take milliseconds: who has no answer by then never gets one.
const patience = time.Minute

// pipe makes a named pipe that nobody writes to, in the place of a file.
func (s *siege) pipe(path string) {
	_ = os.Remove(path)
	s.must(os.MkdirAll(filepath.Dir(path), 0o700), "make a directory")
	s.must(syscall.Mkfifo(path, 0o600), "make a pipe")
	s.later(func() { // what waits for a writer waits no longer
		if fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			time.Sleep(10 * time.Millisecond)
			_ = syscall.Close(fd)
		}
	})
}

// sparse makes a file of 1 GiB that takes no room, in the place of another.
func (s *siege) sparse(path string) {
	_ = os.Remove(path)
	s.write(path, "")
	s.must(os.Truncate(path, 1<<30), "make a large file")
}

// returns reports whether a call has an answer, whatever it is.
func (s *siege) returns(call func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(s, patience)
	defer cancel()
	_ = call(ctx) // refused is answered
	return ctx.Err() == nil
}

func attackEndless(s *siege) {
	id := session()
	c := s.converse("a", id)
	s.turn(c, "echo:hello")
	home := filepath.Join(s.world.Home, ".claude")
	transcripts, err := filepath.Glob(filepath.Join(home, "projects", "*", "*.jsonl"))
	if err != nil || len(transcripts) != 1 {
		s.fail("transcripts: %q, %v", transcripts, err)
	}
	explain := func(ctx context.Context) error {
		_, err := s.daemon.Admin().ExplainPermission(ctx, &pb.ExplainPermissionRequest{SessionId: id, ToolName: "Bash", Argument: "touch x"})
		return err
	}
	registry := func(ctx context.Context) error {
		_, err := pb.NewCommandServiceClient(s.daemon.Conn()).GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: id})
		return err
	}
	fork := func(ctx context.Context) error {
		_, err := s.daemon.Admin().ForkSession(ctx, &pb.ForkSessionRequest{SessionId: id})
		return err
	}
	skill := filepath.Join(home, "skills", "x", "SKILL.md")
	for _, file := range []struct {
		name, path string
		call       func(context.Context) error
	}{
		{"the agent's settings", filepath.Join(home, "settings.json"), explain},
		{"a skill", skill, registry},
		{"servers of the directory", s.project(".mcp.json"), registry},
		{"the transcript, for a fork", transcripts[0], fork},
	} {
		kept, _ := os.ReadFile(file.path)
		s.pipe(file.path)
		s.held("a pipe in place of "+file.name, s.returns(file.call), "the call has no answer")
		before := s.most()
		s.sparse(file.path)
		s.held("a large file in place of "+file.name, s.returns(file.call), "the call has no answer")
		grown := s.most() - before
		s.held("which is not kept in memory: "+file.name, grown < 256<<20, "it grew by %d MiB", grown>>20)
		s.must(os.Remove(file.path), "remove the file")
		if kept != nil {
			s.write(file.path, string(kept))
		}
	}
	// An agent that was killed is started again; what it remembers is looked up before.
	from := len(c.Events())
	s.say(c, "gate:open")
	s.wait(c, from, func(e kit.Event) bool { return e.GetStatusChange().GetStatus() == pb.AgentStatus_THINKING })
	pid := int(s.shown(id).GetRun().GetPid())
	s.pipe(transcripts[0])
	s.must(syscall.Kill(pid, syscall.SIGKILL), "kill the agent")
	s.wait(c, from, isNotice("TRANSCRIPT_UNREADABLE"))
	s.held("a pipe in place of the transcript, after a crash", true, "")
}

func attackEndlessRepository(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	tree := filepath.Join(s.world.Root, "main", ".git", "worktrees", "x")
	for n, name := range []string{"gitdir", "commondir"} {
		s.write(filepath.Join(tree, "gitdir"), s.project(".git")+"\n")
		s.write(s.project(".git"), "gitdir: "+tree+"\n")
		s.pipe(filepath.Join(tree, name))
		c := s.converse("pipe"+name, session())
		s.turn(c, "echo:hello")
		s.held("a pipe in place of "+name, true, "")
		before := s.most()
		s.sparse(filepath.Join(tree, name))
		c = s.converse("large"+name, session())
		s.turn(c, strings.Repeat("echo:hello", n+1))
		grown := s.most() - before
		s.held("a large file in place of "+name, grown < 256<<20, "it grew by %d MiB", grown>>20)
	}
}
