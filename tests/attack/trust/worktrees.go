package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// worktreeScenarios attack the daemon's own work on repositories: it creates worktrees and runs their setup.
var worktreeScenarios = []siege.Scenario{
	{
		Name: "worktrees: a setup script that is exchanged", Settings: `{"feature_flags": {"worktree_management": true}}`,
		Before: siege.SetUpRepository, Attack: attackExchange,
	},
	{
		Name: "worktrees: a hostile repository", Settings: `{"feature_flags": {"worktree_management": true}}`,
		Before: setUpHostile, Attack: attackCheckout,
	},
	{
		Name: "worktrees: hostile names and paths", Settings: `{"feature_flags": {"worktree_management": true}}`,
		Before: siege.SetUpRepository, Attack: attackNames,
	},
}

// exchanges is how often a setup is asked for while its script changes all the time.
const exchanges = 40

// attackExchange has a process put another script in the place of the trusted one and back, without a pause, while setups are
// asked for.
func attackExchange(s *siege.Siege) {
	for _, args := range [][]string{{"trust", "--yes", s.World.Project}, {"worktree", "create", "--create-branch", "kept"}} {
		if printed, code := s.Cli(args...); code != 0 {
			s.Fail("betcode %v: exit %d: %s", args, code, printed)
		}
	}
	service := pb.NewWorktreeServiceClient(s.Daemon.Conn())
	list, err := service.ListWorktrees(s, &pb.ListWorktreesRequest{})
	s.Must(err, "list worktrees")
	script := filepath.Join(list.GetWorktrees()[0].GetPath(), ".betcode/worktree-setup.sh")
	trusted, err := os.ReadFile(script)
	s.Must(err, "read the script")

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			text := []byte("touch " + s.Mark("exchanged") + "\n")
			if n%2 == 1 {
				text = trusted
			}
			_ = os.WriteFile(script+".new", text, 0o700) //nolint:gosec // it is a script; a failure leaves the one before
			_ = os.Rename(script+".new", script)
		}
	}()
	ran, refused := 0, 0
	for range exchanges {
		if _, err := service.SetupWorktree(s, &pb.SetupWorktreeRequest{WorktreeId: "kept"}); err != nil {
			refused++
			continue
		}
		ran++
		if !s.Becomes(func() bool {
			w, err := service.GetWorktree(s, &pb.GetWorktreeRequest{WorktreeId: "kept"})
			return err == nil && w.GetSetup().GetStatus() != pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_RUNNING
		}) {
			s.Fail("a setup does not end")
		}
	}
	close(stop)
	<-stopped
	s.Held("another script than the trusted one never runs", !s.Exists(s.Mark("exchanged")), "it has run")
	s.Held("both scripts were seen", ran > 0 && refused > 0, "%s", strconv.Itoa(ran)+" were begun, "+strconv.Itoa(refused)+" refused")
	s.Must(os.WriteFile(script, trusted, 0o700), "restore the script") //nolint:gosec // it is a script
	printed, code := s.Cli("worktree", "setup", "kept")
	s.Held("the trusted one does", code == 0, "exit %d: %s", code, printed)
}

// treasure is in files outside of the repository that must not come into a worktree.
const treasure = "this is the private key"

// setUpHostile creates a repository whose settings and files name programs and files outside of it, as an agent may write them.
func setUpHostile(s *siege.Siege) {
	siege.SetUpRepository(s)
	s.Write(filepath.Join(s.World.Home, ".ssh/id"), treasure)
	hook := s.Project(".git/hooks/post-checkout")
	s.Write(hook, "#!/bin/sh\ntouch "+s.Mark("hook")+"\n")
	s.Must(os.Chmod(hook, 0o700), "make it executable") //nolint:gosec // it has to be
	s.Write(s.Project("hooks/post-checkout"), "#!/bin/sh\ntouch "+s.Mark("hook-in-tree")+"\n")
	s.Must(os.Chmod(s.Project("hooks/post-checkout"), 0o700), "make it executable") //nolint:gosec // it has to be
	s.Write(s.Project(".gitattributes"), "* filter=evil\n")
	s.Write(s.Project(".gitmodules"), "[submodule \"m\"]\n\tpath = m\n\turl = ext::touch "+s.Mark("submodule")+"\n")
	s.Write(s.Project(".gitignore"), "link\ndirectory\nignored\n")
	s.Must(os.Symlink(filepath.Join(s.World.Home, ".ssh/id"), s.Project("link")), "make a link")
	s.Must(os.Symlink(filepath.Join(s.World.Home, ".ssh"), s.Project("directory")), "make a link")
	s.Write(s.Project("ignored"), "ignored\n")
	s.Write(s.Project(".worktreeinclude"), strings.Join([]string{
		"../.ssh/id", "../../.ssh/id", filepath.Join(s.World.Home, ".ssh/id"), "link", "directory/id", "directory", ".git/config", "ignored",
	}, "\n")+"\n")
	s.Git(s.World.Project, "add", ".")
	s.Git(s.World.Project, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",m")
	s.Git(s.World.Project, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "second")
	s.Git(s.World.Project, "config", "core.fsmonitor", "touch "+s.Mark("fsmonitor"))
	s.Git(s.World.Project, "config", "core.sshCommand", "touch "+s.Mark("ssh"))
	s.Git(s.World.Project, "config", "submodule.recurse", "true")
	s.Git(s.World.Project, "config", "protocol.ext.allow", "always")
	s.Git(s.World.Project, "config", "filter.evil.smudge", "sh -c 'touch "+s.Mark("smudge")+"; cat'")
	s.Git(s.World.Project, "config", "filter.evil.clean", "sh -c 'touch "+s.Mark("clean")+"; cat'")
}

// attackCheckout has worktrees made of the hostile repository.
func attackCheckout(s *siege.Siege) {
	tree := s.World.Project + "-kept"
	for _, marked := range s.Marks() { // git ran programs while the repository was made
		s.Must(os.Remove(s.Mark(marked)), "remove a mark")
	}
	printed, code := s.Cli("worktree", "create", "--create-branch", "kept")
	s.Held("a filter of the repository refuses the checkout", code != 0 && strings.Contains(printed, "filter") && !s.Exists(tree), "exit %d: %s", code, printed)
	s.Held("no program has run", len(s.Marks()) == 0, "%v", s.Marks())

	dropSection(s, "filter.evil")
	for _, hooks := range []string{"", s.Project("hooks")} {
		if hooks != "" {
			configure(s, "core.hooksPath", hooks)
		}
		printed, code = s.Cli("worktree", "create", "--create-branch", "kept")
		s.Held("without it there is a worktree", code == 0 && s.Exists(filepath.Join(tree, "a")), "exit %d: %s", code, printed)
		s.Held("no hook, monitor, transport or submodule has run", len(s.Marks()) == 0, "%v", s.Marks())
		s.Held("an ignored file is copied", s.Exists(filepath.Join(tree, "ignored")), "it is not")
		s.Held("nothing outside of the repository is copied", !containsBelow(s, tree, treasure) && !s.Exists(filepath.Join(tree, "link")) && !s.Exists(filepath.Join(tree, "directory")), "it is")
		printed, code = s.Cli("worktree", "list")
		s.Held("nor has one while worktrees are listed", code == 0 && len(s.Marks()) == 0, "%v %s", s.Marks(), printed)
		printed, code = s.Cli("worktree", "remove", "kept", "--force", "--yes")
		s.Held("nor while one is removed", code == 0 && len(s.Marks()) == 0, "exit %d: %v %s", code, s.Marks(), printed)
		if hooks == "" {
			deleteBranch(s, "kept")
		}
	}
	s.Git(s.World.Project, "-c", "submodule.recurse=false", "worktree", "add", "-q", "-b", "control", filepath.Join(s.World.Home, "control"))
	s.Held("git itself runs the programs", len(s.Marks()) > 1, "only %v", s.Marks())
	s.Held("what links led to is there", s.Contains(filepath.Join(s.World.Home, ".ssh/id"), treasure), "it is not")
}

// dropSection removes a section of the repository's settings without git, which would run what is in them.
func dropSection(s *siege.Siege, section string) {
	s.Git(s.World.Project, "-c", "core.fsmonitor=false", "config", "--remove-section", section)
}

// configure changes the repository's settings.
func configure(s *siege.Siege, name, value string) {
	s.Git(s.World.Project, "-c", "core.fsmonitor=false", "config", name, value)
}

// deleteBranch deletes a branch, and runs nothing.
func deleteBranch(s *siege.Siege, name string) {
	s.Git(s.World.Project, "update-ref", "-d", "refs/heads/"+name)
}

// containsBelow reports whether a file below a directory has a text.
func containsBelow(s *siege.Siege, dir, text string) (found bool) {
	s.Must(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && s.Contains(path, text) {
			found = true
		}
		return err
	}), "look below a directory")
	return found
}

// attackNames asks for worktrees with names and paths that lead elsewhere, are options of git, or are commands of a shell.
func attackNames(s *siege.Siege) {
	linked := filepath.Join(s.World.Home, "linked")
	s.Must(os.Symlink(s.World.ConfigDir(), linked), "make a link")
	dangling := filepath.Join(s.World.Home, "dangling")
	s.Must(os.Symlink(filepath.Join(s.World.Home, "elsewhere"), dangling), "make a link")
	before := s.Standing()
	service := pb.NewWorktreeServiceClient(s.Daemon.Conn())
	refused := func(r *pb.CreateWorktreeRequest) {
		r.RepoPath, r.CreateBranch = s.World.Project, true
		_, err := service.CreateWorktree(s, r)
		s.Held(fmt.Sprintf("branch %q, name %q, base %q at %q is refused", r.GetBranch(), r.GetName(), r.GetBase(), r.GetPath()), err != nil, "there is a worktree")
	}
	for _, branch := range []string{
		"", "-", "--help", "-b", "--exec=touch", "../x", "a..b", "/x", "x/", "x.lock", ".x", "a/.b", "a b", "a\nb", "a\x00b", "@", "@{-1}", "HEAD", "x^", "x~1", "x:y",
		"$(touch " + s.Mark("shell") + ")", "`touch " + s.Mark("shell") + "`", "x; touch " + s.Mark("shell"), strings.Repeat("x", 5000),
	} {
		refused(&pb.CreateWorktreeRequest{Branch: branch})
	}
	for _, name := range []string{"../x", "a/b", ".git", "..", "-x", "a\nb", strings.Repeat("x", 200)} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Name: name})
	}
	for _, base := range []string{"--help", "-", "--upload-pack=touch " + s.Mark("base"), "a..b", "HEAD:a", "$(touch x)"} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Base: base})
	}
	for _, path := range []string{
		"relative", s.Project(".git/x"), s.Project(".git"), s.World.Project, filepath.Join(s.World.ConfigDir(), "x"), filepath.Join(linked, "x"), dangling,
		filepath.Join(s.World.Home, ".claude/x"), s.World.Home + "/nowhere/x", s.Project("a/../.git/x"),
	} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Path: path})
	}
	s.Held("nothing was made", s.Standing() == before, "before: %s\nnow: %s", before, s.Standing())
	s.Held("no branch either", !s.Exists(s.Project(".git/refs/heads/fine")), "there is one")
	s.Held("nothing behind links", !s.Exists(filepath.Join(s.World.Home, "elsewhere")) && !s.Exists(filepath.Join(s.World.ConfigDir(), "x")), "there is")

	s.Must(os.Symlink(".", s.Project("loop")), "make a link")
	s.Must(os.Symlink(s.World.Home, s.Project("up")), "make a link")
	found, err := pb.NewGitRepoServiceClient(s.Daemon.Conn()).ScanRepos(s, &pb.ScanReposRequest{ScanPath: s.World.Project, MaxDepth: 10})
	s.Held("a scan leaves links alone", err == nil && len(found.GetRepos()) == 1, "%v %v", found, err)
	for _, path := range []string{"", "relative", "/nowhere", "/a\x00b"} {
		_, err := pb.NewGitRepoServiceClient(s.Daemon.Conn()).ScanRepos(s, &pb.ScanReposRequest{ScanPath: path})
		s.Held(fmt.Sprintf("a scan of %q is refused", path), err != nil, "it is not")
	}
}
