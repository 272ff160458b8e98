package trust

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// trustScenarios attack the claims of docs/security.md about trust.
var trustScenarios = []siege.Scenario{
	{Name: "trust: an untrusted directory", Real: true, Before: hostileRepository, Attack: attackUntrusted},
	{Name: "trust: a .git file", Real: true, Before: hostileGitFile, Attack: attackGitFile},
	{Name: "trust: files that appear", Real: true, Attack: attackAppears},
	{Name: "trust: a file of another user", Attack: attackForeignOwner},
	{Name: "trust: odd files", Attack: attackOddFiles},
	{Name: "trust: a restored journal", Attack: attackRestored},
	{Name: "trust: a worktree", Before: trustedRepository, Attack: attackWorktree},
	{
		Name: "trust: programs in git's settings", Real: true, Before: hostileGit, Attack: attackGit,
		Settings: `{"permissions": {"allow": ["Bash(git status *)"]}}`,
	},
	{Name: "trust: prompts on a schedule", Real: true, Before: hostileSchedule, Attack: attackSchedule},
}

// slashCommand runs a shell command when a message names it.
func slashCommand(s *siege.Siege, name string) string {
	return fmt.Sprintf("---\nallowed-tools: Bash(touch:*)\n---\nSay it !`touch %s`\n", name)
}

// hostileRepository has programs at each place where Claude Code looks from project/sub, and
// servers of the user.
func hostileRepository(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(filepath.Join(s.World.Root, ".mcp.json"), s.Server("above-home"))
	s.Write(filepath.Join(s.World.Home, ".mcp.json"), s.Server("home"))
	s.Write(s.Project(".mcp.json"), s.Server("repository"))
	s.Write(s.Project("sub/.mcp.json"), s.Server("directory"))
	s.Write(s.Project(".claude/settings.local.json"), s.Hooks("root-hook"))
	s.Write(s.Project("sub/.claude/settings.json"), s.Hooks("hook"))
	s.Write(s.Project("sub/.claude/settings.local.json"), s.Hooks("local-hook"))
	s.Write(s.Project("sub/.claude/commands/run.md"), slashCommand(s, "ran-command"))
	s.Write(s.Project(".claude/commands/root.md"), slashCommand(s, "ran-root-command"))
	s.Write(s.Project("sub/.claude/skills/skilled/SKILL.md"), slashCommand(s, "ran-skill"))
	own := strings.TrimSuffix(s.Server("own"), "}") + fmt.Sprintf(`, "projects": {%q: %s}}`, s.World.Project, s.Server("own-local"))
	s.Write(filepath.Join(s.World.Home, ".claude.json"), own)
}

// attackUntrusted shows that nothing of it runs before the directory is trusted, that
// it does run then, and that changed contents do not.
func attackUntrusted(s *siege.Siege) {
	id := siege.NewSession()
	c := s.In(s.Project("sub"), id)
	s.Turn(c, "say: hello")
	s.Until("the user's own servers start", func() bool { return s.Marked("own") && s.Marked("own-local") })
	s.Held("the user's own MCP servers work in an untrusted directory", true, "")
	for _, text := range []string{"/run", "/root", "/skilled"} {
		s.Turn(c, text)
	}
	for name, file := range map[string]string{
		"an MCP server above the home directory does not start": s.Mark("above-home"), "nor one in the home directory": s.Mark("home"),
		"nor one of the repository": s.Mark("repository"), "nor one of the directory": s.Mark("directory"),
		"hooks of the git root do not run": s.Mark("root-hook"), "nor hooks of the directory": s.Mark("hook"), "nor its local ones": s.Mark("local-hook"),
		"a shell command in a slash command does not run": s.Project("sub/ran-command"), "nor one of the git root": s.Project("sub/ran-root-command"),
		"nor one in a skill": s.Project("sub/ran-skill"),
	} {
		s.Held(name, !s.Exists(file), "it ran")
	}
	s.Held("the session is said to be restricted", s.Restricted(id), "it is not")
	_, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "DIRECTORY_NOT_TRUSTED" })
	s.Held("people are told what is not in effect", err == nil, "%v", err)

	printed, code := s.Cli("trust", s.Project("sub"))
	s.Held("a script does not trust by accident", code != 0 && strings.Contains(printed, "add --yes"), "exit %d: %s", code, printed)
	for _, want := range []string{s.Mark("above-home"), s.Mark("root-hook"), "/run runs touch ran-command", "skill skilled runs touch ran-skill"} {
		s.Held("betcode trust shows "+filepath.Base(want), strings.Contains(printed, want), "it printed %s", printed)
	}
	printed, code = s.Cli("trust", "--yes", s.Project("sub"))
	s.Held("the directory can be trusted", code == 0, "exit %d: %s", code, printed)
	s.Turn(c, "say: hello")
	s.Until("the attack works when it is trusted", func() bool {
		return s.Marked("above-home") && s.Marked("directory") && s.Marked("root-hook") && s.Marked("hook")
	})
	s.Turn(c, "/run")
	s.Held("a trusted slash command runs", s.Exists(s.Project("sub/ran-command")), "it did not")

	s.Write(s.Project("sub/.claude/settings.json"), s.Hooks("changed-hook"))
	s.Write(s.Project("sub/.mcp.json"), s.Server("changed-server"))
	s.Write(s.Project("sub/.claude/commands/added.md"), slashCommand(s, "ran-added"))
	s.Turn(c, "say: hello")
	s.Turn(c, "/added")
	s.Held("changed hooks do not run", !s.Marked("changed-hook"), "they ran")
	s.Held("a changed server does not start", !s.Marked("changed-server"), "it started")
	s.Held("an added slash command does not run", !s.Exists(s.Project("sub/ran-added")), "it ran")
	s.Held("the session is restricted again", s.Restricted(id), "it is not")
	printed, _ = s.Cli("trust", s.Project("sub"))
	s.Held("the difference is shown", strings.Contains(printed, "Changed since you trusted it:") && strings.Contains(printed, "+ shell    /added runs touch ran-added"), "it printed %s", printed)
}

// hostileGitFile has a subfolder whose ".git" names a repository elsewhere in the
// project, with settings beside it.
func hostileGitFile(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	evil := s.Project("vendor/evil")
	s.Must(os.MkdirAll(evil, 0o700), "make a directory")
	s.Git(evil, "init", "-q")
	s.Write(filepath.Join(evil, ".claude/settings.local.json"), s.Hooks("git-file-hook"))
	s.Write(filepath.Join(evil, ".claude/commands/evil.md"), slashCommand(s, "ran-evil"))
	s.Write(filepath.Join(evil, ".git/worktrees/x/commondir"), "../..\n")
	s.Write(filepath.Join(evil, ".git/worktrees/x/gitdir"), s.Project("sub/.git")+"\n")
	s.Write(filepath.Join(evil, ".git/worktrees/x/HEAD"), "ref: refs/heads/x\n")
	s.Write(s.Project("sub/.git"), "gitdir: ../vendor/evil/.git/worktrees/x\n")
}

func attackGitFile(s *siege.Siege) {
	id := siege.NewSession()
	c := s.In(s.Project("sub"), id)
	s.Turn(c, "/evil")
	s.Held("hooks beside the repository do not run", !s.Marked("git-file-hook"), "they ran")
	s.Held("nor does a shell command of a slash command there", !s.Exists(s.Project("sub/ran-evil")), "it ran")
	s.Held("the session is said to be restricted", s.Restricted(id), "it is not")
	printed, code := s.Cli("trust", "--yes", s.Project("sub"))
	s.Held("betcode trust shows them", code == 0 && strings.Contains(printed, s.Mark("git-file-hook")), "exit %d: %s", code, printed)
	s.Turn(c, "/evil")
	s.Until("the attack works when it is trusted", func() bool { return s.Marked("git-file-hook") })
}

// attackAppears has files appear in the directory of an agent that runs.
func attackAppears(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	id := siege.NewSession()
	c := s.Converse("person", id)
	s.Turn(c, "say: hello")
	s.Write(s.Project(".claude/settings.json"), s.Hooks("late-hook"))
	s.Write(s.Project(".mcp.json"), s.Server("late-server"))
	s.Write(s.Project(".claude/commands/late.md"), slashCommand(s, "ran-late"))
	s.Write(s.Project(".claude/skills/lately/SKILL.md"), slashCommand(s, "ran-late-skill"))
	s.Turn(c, "bash: sleep 2") // Claude Code takes about a second to see changed settings
	for _, text := range []string{"say: hello", "/late", "/lately"} {
		s.Turn(c, text)
	}
	s.Held("hooks that appear do not run", !s.Marked("late-hook"), "they ran")
	s.Held("a server that appears does not start", !s.Marked("late-server"), "it started")
	s.Held("a slash command that appears does not run its shell command", !s.Exists(s.Project("ran-late")), "it ran")
	s.Held("nor does a skill", !s.Exists(s.Project("ran-late-skill")), "it ran")
	_, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "DIRECTORY_NOT_TRUSTED" })
	s.Held("people are told", err == nil, "%v", err)
}

// attackForeignOwner has another user write a file above the project.
func attackForeignOwner(s *siege.Siege) {
	const name = "a file of another user cannot be trusted"
	if os.Geteuid() != 0 {
		s.Untried(name) // only root can give a file away
		return
	}
	path := filepath.Join(s.World.Root, ".mcp.json")
	s.Write(path, s.Server("foreign"))
	s.Must(os.Chown(path, 12345, 12345), "give a file away")
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	s.Held(name, code == 1 && strings.Contains(printed, path+": belongs to another user"), "exit %d: %s", code, printed)
	_, err := s.Daemon.Admin().TrustDirectory(s, &pb.TrustDirectoryRequest{Directory: s.World.Project})
	s.Held("nor over the API", err != nil, "it was trusted")
}

// attackOddFiles has files that block or exhaust their reader.
func attackOddFiles(s *siege.Siege) {
	s.Write(s.Project(".claude/commands/a.md"), "x")
	s.Must(exec.CommandContext(s, "mkfifo", s.Project(".mcp.json"), s.Project(".claude/settings.local.json")).Run(), "make a pipe")
	s.Must(os.Symlink("/dev/zero", s.Project(".claude/settings.json")), "make a link")
	s.Must(os.Symlink("..", s.Project(".claude/commands/loop")), "make a link")
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	s.Held("pipes and devices are not trusted, nor waited for", code == 1 && strings.Contains(printed, "is not a regular file"), "exit %d: %s", code, printed)
	c := s.Converse("person", siege.NewSession())
	from := len(c.Events())
	s.Say(c, "echo:hello")
	_, _, err := c.Wait(from, kit.IsIdle)
	s.Held("a session there works all the same", err == nil, "%v", err)
}

// trustedRepository is a repository with settings under version control, and a
// worktree of it.
func trustedRepository(s *siege.Siege) {
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project(".claude/settings.json"), s.Hooks("hook"))
	s.Git(s.World.Project, "add", ".")
	s.Git(s.World.Project, "commit", "-qm", "x")
	s.Git(s.World.Project, "worktree", "add", "-q", filepath.Join(s.World.Home, "worktree"))
}

func attackWorktree(s *siege.Siege) {
	worktree := filepath.Join(s.World.Home, "worktree")
	started := func(directory string) string {
		id := siege.NewSession()
		c := s.In(directory, id)
		s.Say(c, "echo:hello")
		s.Wait(c, 0, kit.IsIdle)
		return id
	}
	s.Held("a worktree of a repository that is not trusted is restricted", s.Restricted(started(worktree)), "it is not")
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	s.Held("the repository can be trusted", code == 0, "exit %d: %s", code, printed)
	s.Held("its worktree is trusted with it", !s.Restricted(started(worktree)), "it is not")

	liar := filepath.Join(s.World.Home, "liar")
	pointer, err := os.ReadFile(filepath.Join(worktree, ".git"))
	s.Must(err, "read a file")
	s.Write(filepath.Join(liar, ".git"), string(pointer))
	s.Write(filepath.Join(liar, ".claude/settings.json"), s.Hooks("hook"))
	s.Held("a directory that only claims to be a worktree is not", s.Restricted(started(liar)), "it is")

	s.Write(filepath.Join(worktree, ".claude/settings.json"), s.Hooks("other"))
	s.Held("nor a worktree with another file", s.Restricted(started(worktree)), "it is")
}

// attackRestored restores a journal in which agents were at work.
func attackRestored(s *siege.Siege) {
	id := siege.NewSession()
	c := s.Converse("person", id)
	from := len(c.Events())
	s.Say(c, "run:touch made.txt && echo made")
	s.Wait(c, from, kit.IsPermission)
	backup := filepath.Join(s.World.Root, "backup")
	printed, code := s.Cli("journal", "backup", backup)
	s.Held("the journal is backed up", code == 0, "exit %d: %s", code, printed)
	_, err := s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	printed, code = s.Cli("journal", "restore", backup, "--state-dir", s.World.StateDir(), "--force")
	s.Held("and restored", code == 0, "exit %d: %s", code, printed)
	s.Start()
	c = s.Converse("person", id)
	s.Wait(c, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "SESSION_RESTORED" })
	s.Wait(c, 0, func(e kit.Event) bool { return e.GetRun().GetState() == pb.RunState_RUN_STATE_LOST })
	show := func() *pb.ShowSessionResponse {
		view, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
		s.Must(err, "show the session")
		return view
	}
	s.Held("no agent is started", show().GetRun().GetRun() == 1 && show().GetSummary().GetWaiting() == "restored", "it is %v", show())

	s.Write(s.Project(".claude/settings.json"), s.Hooks("hook"))
	_, err = s.Daemon.Admin().ContinueSession(s, &pb.ContinueSessionRequest{SessionId: id})
	s.Must(err, "resume the session")
	s.Until("a person has it go on", func() bool { return show().GetRun().GetRun() > 1 })
	s.Until("trust is looked at then", func() bool { return s.Restricted(id) })
	s.Held("trust is looked at when it goes on", true, "")
}
