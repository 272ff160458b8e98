package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// trustScenarios attack what docs/security.md says of: trust.
var trustScenarios = []scenario{
	{name: "trust: an untrusted directory", real: true, before: hostileRepository, attack: attackUntrusted},
	{name: "trust: a .git file", real: true, before: hostileGitFile, attack: attackGitFile},
	{name: "trust: files that appear", real: true, attack: attackAppears},
	{name: "trust: a file of another user", attack: attackForeignOwner},
	{name: "trust: odd files", attack: attackOddFiles},
	{name: "trust: a restored journal", attack: attackRestored},
	{name: "trust: a worktree", before: trustedRepository, attack: attackWorktree},
	{
		name: "trust: programs in git's settings", real: true, before: hostileGit, attack: attackGit,
		settings: `{"permissions": {"allow": ["Bash(git status *)"]}}`,
	},
	{name: "trust: prompts on a schedule", real: true, before: hostileSchedule, attack: attackSchedule},
}

// mark is a file that something makes which must not run.
func (s *siege) mark(name string) string { return filepath.Join(s.world.Root, "marks", name) }

func (s *siege) marked(name string) bool { return s.exists(s.mark(name)) }

// server is a .mcp.json, or part of one, whose server leaves a mark.
func (s *siege) server(name string) string {
	return fmt.Sprintf(`{"mcpServers": {%q: {"command": "/bin/sh", "args": ["-c", "touch %s"]}}}`, name, s.mark(name))
}

// hooks are settings whose hooks leave a mark when a session starts, when a message
// comes and when a turn ends.
func (s *siege) hooks(name string) string {
	one := fmt.Sprintf(`[{"hooks": [{"type": "command", "command": "touch %s"}]}]`, s.mark(name))
	return fmt.Sprintf(`{"hooks": {"SessionStart": %s, "UserPromptSubmit": %s, "Stop": %s}, "enableAllProjectMcpServers": true}`, one, one, one)
}

// slashCommand runs a shell command when a message names it.
func (s *siege) slashCommand(name string) string {
	return fmt.Sprintf("---\nallowed-tools: Bash(touch:*)\n---\nSay it !`touch %s`\n", name)
}

func (s *siege) git(directory string, args ...string) {
	command := exec.CommandContext(s, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", directory}, args...)...)
	command.Env = s.world.Environ()
	if out, err := command.CombinedOutput(); err != nil {
		s.fail("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// until waits for something to become true, within the patience of the kit.
func (s *siege) until(what string, done func() bool) {
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.fail("%s: it did not happen", what)
		}
	}
}

// turn sends a message and waits for the end of the turn.
func (s *siege) turn(c *kit.Stream, text string) {
	from := len(c.Events())
	s.say(c, text)
	s.wait(c, from, kit.IsTurnComplete)
	s.wait(c, from, kit.IsIdle)
}

// in attaches to a new session in a directory.
func (s *siege) in(directory, id string) *kit.Stream {
	return s.converseWith("person", &pb.StartConversation{SessionId: id, WorkingDirectory: directory})
}

// restricted reports what the daemon says of a session.
func (s *siege) restricted(id string) bool {
	view, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.must(err, "show the session")
	return view.GetRestricted() && len(view.GetWithheld()) > 0
}

// hostileRepository has something to run at each place where Claude Code looks from
// project/sub, and the user's own servers.
func hostileRepository(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(filepath.Join(s.world.Root, ".mcp.json"), s.server("above-home"))
	s.write(filepath.Join(s.world.Home, ".mcp.json"), s.server("home"))
	s.write(s.project(".mcp.json"), s.server("repository"))
	s.write(s.project("sub/.mcp.json"), s.server("directory"))
	s.write(s.project(".claude/settings.local.json"), s.hooks("root-hook"))
	s.write(s.project("sub/.claude/settings.json"), s.hooks("hook"))
	s.write(s.project("sub/.claude/settings.local.json"), s.hooks("local-hook"))
	s.write(s.project("sub/.claude/commands/run.md"), s.slashCommand("ran-command"))
	s.write(s.project(".claude/commands/root.md"), s.slashCommand("ran-root-command"))
	s.write(s.project("sub/.claude/skills/skilled/SKILL.md"), s.slashCommand("ran-skill"))
	own := strings.TrimSuffix(s.server("own"), "}") + fmt.Sprintf(`, "projects": {%q: %s}}`, s.world.Project, s.server("own-local"))
	s.write(filepath.Join(s.world.Home, ".claude.json"), own)
}

// attackUntrusted shows that nothing of it runs before the directory is trusted, that
// it does run then, and that changed contents do not.
func attackUntrusted(s *siege) {
	id := session()
	c := s.in(s.project("sub"), id)
	s.turn(c, "say: hello")
	s.until("the user's own servers start", func() bool { return s.marked("own") && s.marked("own-local") })
	s.held("the user's own MCP servers work in an untrusted directory", true, "")
	for _, text := range []string{"/run", "/root", "/skilled"} {
		s.turn(c, text)
	}
	for name, file := range map[string]string{
		"an MCP server above the home directory does not start": s.mark("above-home"), "nor one in the home directory": s.mark("home"),
		"nor one of the repository": s.mark("repository"), "nor one of the directory": s.mark("directory"),
		"hooks of the git root do not run": s.mark("root-hook"), "nor hooks of the directory": s.mark("hook"), "nor its local ones": s.mark("local-hook"),
		"a shell command in a slash command does not run": s.project("sub/ran-command"), "nor one of the git root": s.project("sub/ran-root-command"),
		"nor one in a skill": s.project("sub/ran-skill"),
	} {
		s.held(name, !s.exists(file), "it ran")
	}
	s.held("the session is said to be restricted", s.restricted(id), "it is not")
	_, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "DIRECTORY_NOT_TRUSTED" })
	s.held("people are told what is not in effect", err == nil, "%v", err)

	printed, code := s.cli("trust", s.project("sub"))
	s.held("a script does not trust by accident", code != 0 && strings.Contains(printed, "add --yes"), "exit %d: %s", code, printed)
	for _, want := range []string{s.mark("above-home"), s.mark("root-hook"), "/run runs touch ran-command", "skill skilled runs touch ran-skill"} {
		s.held("betcode trust shows "+filepath.Base(want), strings.Contains(printed, want), "it printed %s", printed)
	}
	printed, code = s.cli("trust", "--yes", s.project("sub"))
	s.held("the directory can be trusted", code == 0, "exit %d: %s", code, printed)
	s.turn(c, "say: hello")
	s.until("the attack works when it is trusted", func() bool {
		return s.marked("above-home") && s.marked("directory") && s.marked("root-hook") && s.marked("hook")
	})
	s.turn(c, "/run")
	s.held("a trusted slash command runs", s.exists(s.project("sub/ran-command")), "it did not")

	s.write(s.project("sub/.claude/settings.json"), s.hooks("changed-hook"))
	s.write(s.project("sub/.mcp.json"), s.server("changed-server"))
	s.write(s.project("sub/.claude/commands/added.md"), s.slashCommand("ran-added"))
	s.turn(c, "say: hello")
	s.turn(c, "/added")
	s.held("changed hooks do not run", !s.marked("changed-hook"), "they ran")
	s.held("a changed server does not start", !s.marked("changed-server"), "it started")
	s.held("an added slash command does not run", !s.exists(s.project("sub/ran-added")), "it ran")
	s.held("the session is restricted again", s.restricted(id), "it is not")
	printed, _ = s.cli("trust", s.project("sub"))
	s.held("the difference is shown", strings.Contains(printed, "Changed since you trusted it:") && strings.Contains(printed, "+ shell    /added runs touch ran-added"), "it printed %s", printed)
}

// hostileGitFile has a subfolder whose ".git" names a repository elsewhere in the
// project, with settings beside it.
func hostileGitFile(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	evil := s.project("vendor/evil")
	s.must(os.MkdirAll(evil, 0o700), "make a directory")
	s.git(evil, "init", "-q")
	s.write(filepath.Join(evil, ".claude/settings.local.json"), s.hooks("git-file-hook"))
	s.write(filepath.Join(evil, ".claude/commands/evil.md"), s.slashCommand("ran-evil"))
	s.write(filepath.Join(evil, ".git/worktrees/x/commondir"), "../..\n")
	s.write(filepath.Join(evil, ".git/worktrees/x/gitdir"), s.project("sub/.git")+"\n")
	s.write(filepath.Join(evil, ".git/worktrees/x/HEAD"), "ref: refs/heads/x\n")
	s.write(s.project("sub/.git"), "gitdir: ../vendor/evil/.git/worktrees/x\n")
}

func attackGitFile(s *siege) {
	id := session()
	c := s.in(s.project("sub"), id)
	s.turn(c, "/evil")
	s.held("hooks beside the repository do not run", !s.marked("git-file-hook"), "they ran")
	s.held("nor does a shell command of a slash command there", !s.exists(s.project("sub/ran-evil")), "it ran")
	s.held("the session is said to be restricted", s.restricted(id), "it is not")
	printed, code := s.cli("trust", "--yes", s.project("sub"))
	s.held("betcode trust shows them", code == 0 && strings.Contains(printed, s.mark("git-file-hook")), "exit %d: %s", code, printed)
	s.turn(c, "/evil")
	s.until("the attack works when it is trusted", func() bool { return s.marked("git-file-hook") })
}

// attackAppears has files appear in the directory of an agent that runs.
func attackAppears(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	id := session()
	c := s.converse("person", id)
	s.turn(c, "say: hello")
	s.write(s.project(".claude/settings.json"), s.hooks("late-hook"))
	s.write(s.project(".mcp.json"), s.server("late-server"))
	s.write(s.project(".claude/commands/late.md"), s.slashCommand("ran-late"))
	s.write(s.project(".claude/skills/lately/SKILL.md"), s.slashCommand("ran-late-skill"))
	s.turn(c, "bash: sleep 2") // Claude Code takes about a second to see changed settings
	for _, text := range []string{"say: hello", "/late", "/lately"} {
		s.turn(c, text)
	}
	s.held("hooks that appear do not run", !s.marked("late-hook"), "they ran")
	s.held("a server that appears does not start", !s.marked("late-server"), "it started")
	s.held("a slash command that appears does not run its shell command", !s.exists(s.project("ran-late")), "it ran")
	s.held("nor does a skill", !s.exists(s.project("ran-late-skill")), "it ran")
	_, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "DIRECTORY_NOT_TRUSTED" })
	s.held("people are told", err == nil, "%v", err)
}

// attackForeignOwner has another user write a file above the project.
func attackForeignOwner(s *siege) {
	const name = "a file of another user cannot be trusted"
	if os.Geteuid() != 0 {
		s.untried(name) // only root can give a file away
		return
	}
	path := filepath.Join(s.world.Root, ".mcp.json")
	s.write(path, s.server("foreign"))
	s.must(os.Chown(path, 12345, 12345), "give a file away")
	printed, code := s.cli("trust", "--yes", s.world.Project)
	s.held(name, code == 1 && strings.Contains(printed, path+": belongs to another user"), "exit %d: %s", code, printed)
	_, err := s.daemon.Admin().TrustDirectory(s, &pb.TrustDirectoryRequest{Directory: s.world.Project})
	s.held("nor over the API", err != nil, "it was trusted")
}

// attackOddFiles has files that block or exhaust their reader.
func attackOddFiles(s *siege) {
	s.write(s.project(".claude/commands/a.md"), "x")
	s.must(exec.CommandContext(s, "mkfifo", s.project(".mcp.json"), s.project(".claude/settings.local.json")).Run(), "make a pipe")
	s.must(os.Symlink("/dev/zero", s.project(".claude/settings.json")), "make a link")
	s.must(os.Symlink("..", s.project(".claude/commands/loop")), "make a link")
	printed, code := s.cli("trust", "--yes", s.world.Project)
	s.held("pipes and devices are not trusted, nor waited for", code == 1 && strings.Contains(printed, "is not a regular file"), "exit %d: %s", code, printed)
	c := s.converse("person", session())
	from := len(c.Events())
	s.say(c, "echo:hello")
	_, _, err := c.Wait(from, kit.IsIdle)
	s.held("a session there works all the same", err == nil, "%v", err)
}

// trustedRepository is a repository with settings under version control, and a
// worktree of it.
func trustedRepository(s *siege) {
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project(".claude/settings.json"), s.hooks("hook"))
	s.git(s.world.Project, "add", ".")
	s.git(s.world.Project, "commit", "-qm", "x")
	s.git(s.world.Project, "worktree", "add", "-q", filepath.Join(s.world.Home, "worktree"))
}

func attackWorktree(s *siege) {
	worktree := filepath.Join(s.world.Home, "worktree")
	started := func(directory string) string {
		id := session()
		c := s.in(directory, id)
		s.say(c, "echo:hello")
		s.wait(c, 0, kit.IsIdle)
		return id
	}
	s.held("a worktree of a repository that is not trusted is restricted", s.restricted(started(worktree)), "it is not")
	printed, code := s.cli("trust", "--yes", s.world.Project)
	s.held("the repository can be trusted", code == 0, "exit %d: %s", code, printed)
	s.held("its worktree is trusted with it", !s.restricted(started(worktree)), "it is not")

	liar := filepath.Join(s.world.Home, "liar")
	pointer, err := os.ReadFile(filepath.Join(worktree, ".git"))
	s.must(err, "read a file")
	s.write(filepath.Join(liar, ".git"), string(pointer))
	s.write(filepath.Join(liar, ".claude/settings.json"), s.hooks("hook"))
	s.held("a directory that only claims to be a worktree is not", s.restricted(started(liar)), "it is")

	s.write(filepath.Join(worktree, ".claude/settings.json"), s.hooks("other"))
	s.held("nor a worktree with another file", s.restricted(started(worktree)), "it is")
}

// attackRestored restores a journal in which agents were at work.
func attackRestored(s *siege) {
	id := session()
	c := s.converse("person", id)
	from := len(c.Events())
	s.say(c, "run:touch made.txt && echo made")
	s.wait(c, from, kit.IsPermission)
	backup := filepath.Join(s.world.Root, "backup")
	printed, code := s.cli("journal", "backup", backup)
	s.held("the journal is backed up", code == 0, "exit %d: %s", code, printed)
	_, err := s.daemon.Stop()
	s.must(err, "stop the daemon")
	printed, code = s.cli("journal", "restore", backup, "--state-dir", s.world.StateDir(), "--force")
	s.held("and restored", code == 0, "exit %d: %s", code, printed)
	s.start()
	c = s.converse("person", id)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "SESSION_RESTORED" })
	s.wait(c, 0, func(e kit.Event) bool { return e.GetRun().GetState() == pb.RunState_RUN_STATE_LOST })
	show := func() *pb.ShowSessionResponse {
		view, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
		s.must(err, "show the session")
		return view
	}
	s.held("no agent is started", show().GetRun().GetRun() == 1 && show().GetSummary().GetWaiting() == "restored", "it is %v", show())

	s.write(s.project(".claude/settings.json"), s.hooks("hook"))
	_, err = s.daemon.Admin().ContinueSession(s, &pb.ContinueSessionRequest{SessionId: id})
	s.must(err, "resume the session")
	s.until("a person has it go on", func() bool { return show().GetRun().GetRun() > 1 })
	s.until("trust is looked at then", func() bool { return s.restricted(id) })
	s.held("trust is looked at when it goes on", true, "")
}
