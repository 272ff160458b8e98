package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// worktreeStories are about worktrees of a git repository.
var worktreeStories = []story{
	{name: "worktrees", setup: repositoryWithFeature, run: worktrees},
	{name: "repositories", setup: repositoryWithFeature, run: repositories},
}

// repositoryWithFeature makes the project a repository with a branch, and enables worktrees.
func repositoryWithFeature(t *testing.T, w *kit.World) error {
	git(t, w, "init", "-q", "-b", "main")
	git(t, w, "commit", "-q", "--allow-empty", "-m", "first")
	git(t, w, "branch", "feature/auth")
	return config(w, `{"feature_flags": {"worktree_management": true}}`)
}

func git(t *testing.T, w *kit.World, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir, cmd.Env = w.Project, w.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func worktrees(s *stage) {
	ctx, api := s.Context(), pb.NewWorktreeServiceClient(s.daemon.Conn())
	main, err := filepath.EvalSymlinks(s.world.Project)
	s.must(err)
	can := s.negotiate(&pb.NegotiateRequest{ClientVersion: "0.2.0", RequestedFeatures: []string{"worktrees"}})
	if !can.GetCapabilities().GetWorktreesEnabled() {
		s.Errorf("worktrees are off: %v", can)
	}

	// Create.
	w, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: main, Branch: "feature/auth"})
	s.must(err)
	if w.GetPath() != main+"-feature-auth" || w.GetBranch() != "feature/auth" || w.GetName() != "feature-auth" || w.GetCreatedAt() == nil {
		s.Errorf("created %v", w)
	}
	place := filepath.Join(filepath.Dir(main), "place")
	other, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: main, Branch: "fresh", Name: "named", Path: place, CreateBranch: true})
	s.must(err)
	if other.GetPath() != place || other.GetName() != "named" {
		s.Errorf("created %v", other)
	}
	s.took("CreateWorktreeRequest", "repo_path", "branch", "name", "path", "create_branch")
	s.shows("Worktree Orchestration", "create <branch>")
	for _, refused := range []struct {
		request *pb.CreateWorktreeRequest
		code    codes.Code
		words   string
	}{
		{&pb.CreateWorktreeRequest{RepoPath: main, Branch: "feature/auth", Name: "again"}, codes.AlreadyExists, w.GetPath()},
		{&pb.CreateWorktreeRequest{RepoPath: main, Branch: "x", CreateBranch: true, Path: place}, codes.AlreadyExists, place},
		{&pb.CreateWorktreeRequest{RepoPath: main, Branch: "missing"}, codes.NotFound, "missing"},
		{&pb.CreateWorktreeRequest{RepoPath: main, Branch: "a..b"}, codes.InvalidArgument, "a..b"},
		{&pb.CreateWorktreeRequest{RepoPath: main, Branch: "x", CreateBranch: true, Name: "a/b"}, codes.InvalidArgument, "separator"},
	} {
		_, err := api.CreateWorktree(ctx, refused.request)
		s.refused(err, refused.code, refused.words)
	}

	// Sessions in it.
	first, second := session(), session()
	for _, id := range []string{first, second} {
		c, err := s.daemon.Converse(ctx, "a", &pb.StartConversation{SessionId: id, WorktreeId: w.GetId(), AllowedTools: []string{"Bash"}})
		s.must(err)
		s.turn(c, 0, "run:touch seen-"+id)
		e, _ := s.wait(c, 0, isInfo)
		if info := e.GetSessionInfo(); info.GetWorktreeId() != w.GetId() || info.GetWorkingDirectory() != w.GetPath() {
			s.Errorf("the session is %v", info)
		}
		c.Close()
		if _, err := os.Stat(filepath.Join(w.GetPath(), "seen-"+id)); err != nil {
			s.Error(err)
		}
	}
	s.took("StartConversation", "worktree_id")
	s.converse("a", &pb.StartConversation{SessionId: session()})
	sessions, err := s.daemon.Agents().ListSessions(ctx, &pb.ListSessionsRequest{WorktreeId: w.GetId()})
	s.must(err)
	if len(sessions.GetSessions()) != 2 || sessions.GetSessions()[0].GetWorktreeId() != w.GetId() {
		s.Errorf("listed %v", sessions)
	}
	s.took("ListSessionsRequest", "worktree_id")
	s.shows("Worktree Orchestration", "A worktree has several sessions, a session one worktree")

	// List, and the machine.
	list, err := api.ListWorktrees(ctx, &pb.ListWorktreesRequest{RepoPath: main})
	s.must(err)
	if len(list.GetWorktrees()) != 2 || list.GetWorktrees()[0].GetActiveSessionId() != second || list.GetWorktrees()[0].GetWork().GetUntrackedFiles() != 2 {
		s.Errorf("listed %v", list)
	}
	s.took("ListWorktreesRequest", "repo_path")
	machines, err := pb.NewMachineServiceClient(s.daemon.Conn()).ListMachines(ctx, &pb.ListMachinesRequest{})
	s.must(err)
	if len(machines.GetMachines()[0].GetWorktrees()) != 2 {
		s.Errorf("machine %v", machines)
	}

	// Setup: commands of the settings, and a script of the repository once it is trusted.
	s.must(config(s.world, `{"feature_flags": {"worktree_management": true}, "worktree": {"setup_commands": ["echo one", "echo two"]}}`))
	s.must(syscall.Kill(s.daemon.PID(), syscall.SIGHUP))
	s.eventually("the settings are read again", func() bool {
		return strings.Contains(s.cli(0, "config", "show", "--json"), "echo one")
	})
	plain, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: main, Branch: "plain", CreateBranch: true})
	s.must(err)
	s.setUp(plain.GetId(), "one\ntwo\n")
	s.write(s.file(".betcode/worktree-setup.sh"), "echo $WORKTREE_BRANCH\n")
	git(s.T, s.world, "add", ".")
	git(s.T, s.world, "commit", "-q", "-m", "setup")
	prepared, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: main, Branch: "prepared", CreateBranch: true})
	s.must(err)
	if prepared.GetSetup().GetStatus() != pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_NOT_TRUSTED {
		s.Errorf("created %v", prepared)
	}
	_, err = s.daemon.Admin().TrustDirectory(ctx, &pb.TrustDirectoryRequest{Directory: main})
	s.must(err)
	_, err = api.SetupWorktree(ctx, &pb.SetupWorktreeRequest{WorktreeId: prepared.GetId()})
	s.must(err)
	s.setUp(prepared.GetId(), "prepared\n")
	for _, id := range []string{prepared.GetId(), plain.GetId()} {
		_, err = api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: id, Force: true})
		s.must(err)
	}
	s.shows("Worktree Orchestration", "Setup hooks: .betcode/worktree-setup.sh, worktree.setup_commands")

	// Switch.
	_, err = api.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: other.GetId()})
	s.must(err)
	switched, err := api.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: w.GetId()})
	s.must(err)
	if switched.GetPreviousWorktreeId() != other.GetId() || switched.GetWorktree().GetActiveSessionId() != second {
		s.Errorf("switched %v", switched)
	}
	s.took("SwitchWorktreeRequest", "worktree_id")
	s.shows("Worktree Orchestration", "switch <id>")

	// Remove.
	_, err = api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: w.GetId()})
	s.refused(err, codes.FailedPrecondition, "untracked")
	removed, err := api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: w.GetId(), Force: true})
	s.must(err)
	if _, err := os.Stat(w.GetPath()); !removed.GetRemoved() || removed.GetSessionsClosed() != 2 || err == nil {
		s.Errorf("removed %v, %v", removed, err)
	}
	s.took("RemoveWorktreeRequest", "worktree_id", "force")
	s.shows("Worktree Orchestration", "remove <id>")
	_, err = api.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: w.GetId()})
	s.refused(err, codes.NotFound)

	// Others lock one with git, and delete it.
	git(s.T, s.world, "worktree", "lock", place)
	_, err = api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: other.GetId(), Force: true})
	s.refused(err, codes.ResourceExhausted, "locked")
	s.must(os.RemoveAll(place))
	s.daemon.Kill()
	s.start()
	api = pb.NewWorktreeServiceClient(s.daemon.Conn())
	list, err = api.ListWorktrees(ctx, &pb.ListWorktreesRequest{})
	s.must(err)
	if len(list.GetWorktrees()) != 1 || list.GetWorktrees()[0].GetState() != pb.WorktreeState_WORKTREE_STATE_STALE {
		s.Errorf("listed %v", list)
	}
	s.shows("Startup Reconciliation", "4. Worktrees")
	_, err = api.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: other.GetId()})
	s.refused(err, codes.FailedPrecondition, "stale")
	_, err = api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: other.GetId()})
	s.must(err)
}

// setUp waits until the setup of a worktree has ended well, and has written something.
func (s *stage) setUp(id, wrote string) {
	s.Helper()
	api := pb.NewWorktreeServiceClient(s.daemon.Conn())
	s.eventually("the setup ends", func() bool {
		w, err := api.GetWorktree(s.Context(), &pb.GetWorktreeRequest{WorktreeId: id})
		s.must(err)
		return w.GetSetup().GetStatus() == pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_READY && w.GetSetup().GetOutput() == wrote
	})
}
