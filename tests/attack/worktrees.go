package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// worktreeScenarios attack what the daemon does with repositories on its own: it makes worktrees and runs their setup.
var worktreeScenarios = []scenario{
	{
		name: "worktrees: a setup script that is exchanged", settings: `{"feature_flags": {"worktree_management": true}}`,
		before: setUpRepository, attack: attackExchange,
	},
	{
		name: "worktrees: a hostile repository", settings: `{"feature_flags": {"worktree_management": true}}`,
		before: setUpHostile, attack: attackCheckout,
	},
	{
		name: "worktrees: hostile names and paths", settings: `{"feature_flags": {"worktree_management": true}}`,
		before: setUpRepository, attack: attackNames,
	},
}

// exchanges is how often a setup is asked for while its script changes all the time.
const exchanges = 40

// attackExchange has a process put another script in the place of the trusted one and back, without a pause, while setups are
// asked for.
func attackExchange(s *siege) {
	for _, args := range [][]string{{"trust", "--yes", s.world.Project}, {"worktree", "create", "--create-branch", "kept"}} {
		if printed, code := s.cli(args...); code != 0 {
			s.fail("betcode %v: exit %d: %s", args, code, printed)
		}
	}
	service := pb.NewWorktreeServiceClient(s.daemon.Conn())
	list, err := service.ListWorktrees(s, &pb.ListWorktreesRequest{})
	s.must(err, "list worktrees")
	script := filepath.Join(list.GetWorktrees()[0].GetPath(), ".betcode/worktree-setup.sh")
	trusted, err := os.ReadFile(script)
	s.must(err, "read the script")

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			text := []byte("touch " + s.mark("exchanged") + "\n")
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
		if !s.becomes(func() bool {
			w, err := service.GetWorktree(s, &pb.GetWorktreeRequest{WorktreeId: "kept"})
			return err == nil && w.GetSetup().GetStatus() != pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_RUNNING
		}) {
			s.fail("a setup does not end")
		}
	}
	close(stop)
	<-stopped
	s.held("another script than the trusted one never runs", !s.exists(s.mark("exchanged")), "it has run")
	s.held("both scripts were seen", ran > 0 && refused > 0, "%s", strconv.Itoa(ran)+" were begun, "+strconv.Itoa(refused)+" refused")
	s.must(os.WriteFile(script, trusted, 0o700), "restore the script") //nolint:gosec // it is a script
	printed, code := s.cli("worktree", "setup", "kept")
	s.held("the trusted one does", code == 0, "exit %d: %s", code, printed)
}

// treasure is in files outside of the repository that must not come into a worktree.
const treasure = "this is the private key"

// setUpHostile makes a repository whose settings and files name programs and files outside of it, as an agent may write them.
func setUpHostile(s *siege) {
	setUpRepository(s)
	s.write(filepath.Join(s.world.Home, ".ssh/id"), treasure)
	hook := s.project(".git/hooks/post-checkout")
	s.write(hook, "#!/bin/sh\ntouch "+s.mark("hook")+"\n")
	s.must(os.Chmod(hook, 0o700), "make it executable") //nolint:gosec // it has to be
	s.write(s.project("hooks/post-checkout"), "#!/bin/sh\ntouch "+s.mark("hook-in-tree")+"\n")
	s.must(os.Chmod(s.project("hooks/post-checkout"), 0o700), "make it executable") //nolint:gosec // it has to be
	s.write(s.project(".gitattributes"), "* filter=evil\n")
	s.write(s.project(".gitmodules"), "[submodule \"m\"]\n\tpath = m\n\turl = ext::touch "+s.mark("submodule")+"\n")
	s.write(s.project(".gitignore"), "link\ndirectory\nignored\n")
	s.must(os.Symlink(filepath.Join(s.world.Home, ".ssh/id"), s.project("link")), "make a link")
	s.must(os.Symlink(filepath.Join(s.world.Home, ".ssh"), s.project("directory")), "make a link")
	s.write(s.project("ignored"), "ignored\n")
	s.write(s.project(".worktreeinclude"), strings.Join([]string{
		"../.ssh/id", "../../.ssh/id", filepath.Join(s.world.Home, ".ssh/id"), "link", "directory/id", "directory", ".git/config", "ignored",
	}, "\n")+"\n")
	s.git(s.world.Project, "add", ".")
	s.git(s.world.Project, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",m")
	s.git(s.world.Project, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "second")
	s.git(s.world.Project, "config", "core.fsmonitor", "touch "+s.mark("fsmonitor"))
	s.git(s.world.Project, "config", "core.sshCommand", "touch "+s.mark("ssh"))
	s.git(s.world.Project, "config", "submodule.recurse", "true")
	s.git(s.world.Project, "config", "protocol.ext.allow", "always")
	s.git(s.world.Project, "config", "filter.evil.smudge", "sh -c 'touch "+s.mark("smudge")+"; cat'")
	s.git(s.world.Project, "config", "filter.evil.clean", "sh -c 'touch "+s.mark("clean")+"; cat'")
}

// attackCheckout has worktrees made of the hostile repository.
func attackCheckout(s *siege) {
	tree := s.world.Project + "-kept"
	for _, marked := range s.marks() { // git ran programs while the repository was made
		s.must(os.Remove(s.mark(marked)), "remove a mark")
	}
	printed, code := s.cli("worktree", "create", "--create-branch", "kept")
	s.held("a filter of the repository refuses the checkout", code != 0 && strings.Contains(printed, "filter") && !s.exists(tree), "exit %d: %s", code, printed)
	s.held("no program has run", len(s.marks()) == 0, "%v", s.marks())

	s.dropSection("filter.evil")
	for _, hooks := range []string{"", s.project("hooks")} {
		if hooks != "" {
			s.configure("core.hooksPath", hooks)
		}
		printed, code = s.cli("worktree", "create", "--create-branch", "kept")
		s.held("without it there is a worktree", code == 0 && s.exists(filepath.Join(tree, "a")), "exit %d: %s", code, printed)
		s.held("no hook, monitor, transport or submodule has run", len(s.marks()) == 0, "%v", s.marks())
		s.held("an ignored file is copied", s.exists(filepath.Join(tree, "ignored")), "it is not")
		s.held("nothing outside of the repository is copied", !s.containsBelow(tree, treasure) && !s.exists(filepath.Join(tree, "link")) && !s.exists(filepath.Join(tree, "directory")), "it is")
		printed, code = s.cli("worktree", "list")
		s.held("nor has one while worktrees are listed", code == 0 && len(s.marks()) == 0, "%v %s", s.marks(), printed)
		printed, code = s.cli("worktree", "remove", "kept", "--force", "--yes")
		s.held("nor while one is removed", code == 0 && len(s.marks()) == 0, "exit %d: %v %s", code, s.marks(), printed)
		if hooks == "" {
			s.deleteBranch("kept")
		}
	}
	s.git(s.world.Project, "-c", "submodule.recurse=false", "worktree", "add", "-q", "-b", "control", filepath.Join(s.world.Home, "control"))
	s.held("git itself runs the programs", len(s.marks()) > 1, "only %v", s.marks())
	s.held("what links led to is there", s.contains(filepath.Join(s.world.Home, ".ssh/id"), treasure), "it is not")
}

// dropSection removes a section of the repository's settings without git, which would run what is in them.
func (s *siege) dropSection(section string) {
	s.git(s.world.Project, "-c", "core.fsmonitor=false", "config", "--remove-section", section)
}

// configure changes the repository's settings.
func (s *siege) configure(name, value string) {
	s.git(s.world.Project, "-c", "core.fsmonitor=false", "config", name, value)
}

// deleteBranch deletes a branch, and runs nothing.
func (s *siege) deleteBranch(name string) {
	s.git(s.world.Project, "update-ref", "-d", "refs/heads/"+name)
}

// containsBelow reports whether a file below a directory has a text.
func (s *siege) containsBelow(dir, text string) (found bool) {
	s.must(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && s.contains(path, text) {
			found = true
		}
		return err
	}), "look below a directory")
	return found
}

// attackNames asks for worktrees with names and paths that lead elsewhere, are options of git, or are commands of a shell.
func attackNames(s *siege) {
	linked := filepath.Join(s.world.Home, "linked")
	s.must(os.Symlink(s.world.ConfigDir(), linked), "make a link")
	dangling := filepath.Join(s.world.Home, "dangling")
	s.must(os.Symlink(filepath.Join(s.world.Home, "elsewhere"), dangling), "make a link")
	before := s.standing()
	service := pb.NewWorktreeServiceClient(s.daemon.Conn())
	refused := func(r *pb.CreateWorktreeRequest) {
		r.RepoPath, r.CreateBranch = s.world.Project, true
		_, err := service.CreateWorktree(s, r)
		s.held(fmt.Sprintf("branch %q, name %q, base %q at %q is refused", r.GetBranch(), r.GetName(), r.GetBase(), r.GetPath()), err != nil, "there is a worktree")
	}
	for _, branch := range []string{
		"", "-", "--help", "-b", "--exec=touch", "../x", "a..b", "/x", "x/", "x.lock", ".x", "a/.b", "a b", "a\nb", "a\x00b", "@", "@{-1}", "HEAD", "x^", "x~1", "x:y",
		"$(touch " + s.mark("shell") + ")", "`touch " + s.mark("shell") + "`", "x; touch " + s.mark("shell"), strings.Repeat("x", 5000),
	} {
		refused(&pb.CreateWorktreeRequest{Branch: branch})
	}
	for _, name := range []string{"../x", "a/b", ".git", "..", "-x", "a\nb", strings.Repeat("x", 200)} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Name: name})
	}
	for _, base := range []string{"--help", "-", "--upload-pack=touch " + s.mark("base"), "a..b", "HEAD:a", "$(touch x)"} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Base: base})
	}
	for _, path := range []string{
		"relative", s.project(".git/x"), s.project(".git"), s.world.Project, filepath.Join(s.world.ConfigDir(), "x"), filepath.Join(linked, "x"), dangling,
		filepath.Join(s.world.Home, ".claude/x"), s.world.Home + "/nowhere/x", s.project("a/../.git/x"),
	} {
		refused(&pb.CreateWorktreeRequest{Branch: "fine", Path: path})
	}
	s.held("nothing was made", s.standing() == before, "before: %s\nnow: %s", before, s.standing())
	s.held("no branch either", !s.exists(s.project(".git/refs/heads/fine")), "there is one")
	s.held("nothing behind links", !s.exists(filepath.Join(s.world.Home, "elsewhere")) && !s.exists(filepath.Join(s.world.ConfigDir(), "x")), "there is")

	s.must(os.Symlink(".", s.project("loop")), "make a link")
	s.must(os.Symlink(s.world.Home, s.project("up")), "make a link")
	found, err := pb.NewGitRepoServiceClient(s.daemon.Conn()).ScanRepos(s, &pb.ScanReposRequest{ScanPath: s.world.Project, MaxDepth: 10})
	s.held("a scan leaves links alone", err == nil && len(found.GetRepos()) == 1, "%v %v", found, err)
	for _, path := range []string{"", "relative", "/nowhere", "/a\x00b"} {
		_, err := pb.NewGitRepoServiceClient(s.daemon.Conn()).ScanRepos(s, &pb.ScanReposRequest{ScanPath: path})
		s.held(fmt.Sprintf("a scan of %q is refused", path), err != nil, "it is not")
	}
}
