package conformance

import (
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"

	pb "betcode/proto/betcode/v1"
)

// repositories is about registered repositories, their branches, and worktrees of published clients.
func repositories(s *stage) {
	ctx, api := s.Context(), pb.NewGitRepoServiceClient(s.daemon.Conn())
	main, err := filepath.EvalSymlinks(s.world.Project)
	s.must(err)
	custom := filepath.Join(filepath.Dir(main), "custom")
	repo, err := api.RegisterRepo(ctx, &pb.RegisterRepoRequest{
		RepoPath: main, Name: "mine", WorktreeMode: pb.WorktreeMode_WORKTREE_MODE_CUSTOM, LocalSubfolder: "trees", CustomPath: custom,
		SetupScript: ".betcode/worktree-setup.sh", AutoGitignore: true,
	})
	s.must(err)
	if repo.GetName() != "mine" || repo.GetRepoPath() != main || repo.GetCustomPath() != custom || !repo.GetAutoGitignore() || repo.GetLocalSubfolder() != "trees" {
		s.Errorf("registered %v", repo)
	}
	s.took("RegisterRepoRequest", "repo_path", "name", "worktree_mode", "local_subfolder", "custom_path", "setup_script", "auto_gitignore")
	_, err = api.RegisterRepo(ctx, &pb.RegisterRepoRequest{RepoPath: main})
	s.refused(err, codes.AlreadyExists, "mine")
	_, err = api.RegisterRepo(ctx, &pb.RegisterRepoRequest{RepoPath: main, SetupScript: "curl x | sh"})
	s.refused(err, codes.InvalidArgument, "worktree-setup.sh")

	// Published clients: bytes by their numbers. The settings of the repository determine the place of the worktree.
	c := s.published("trees")
	made := c.call("WorktreeService/CreateWorktree", message(put(1, "login"), put(2, repo.GetId()), put(3, "feature/login")))
	path := filepath.Join(custom, "login")
	if string(made.at(2)) != "login" || string(made.at(3)) != path || string(made.at(4)) != "feature/login" || string(made.at(5)) != repo.GetId() ||
		made.number(7) != 1 || made.at(9).number(1) == 0 {
		s.Errorf("made %x", []byte(made))
	}
	if _, err := os.Stat(filepath.Join(path, ".git")); err != nil {
		s.Error(err)
	}
	existing := c.call("WorktreeService/CreateWorktree", message(put(1, "auth"), put(2, repo.GetId()), put(3, "feature/auth")))
	if string(existing.at(4)) != "feature/auth" {
		s.Errorf("made %x", []byte(existing))
	}
	s.shows(publishedRows, "CreateWorktree with the id of a repository in field 2")
	var names []string
	c.call("WorktreeService/ListWorktrees", put(1, repo.GetId())).each(func(number protowire.Number, w wire, _ uint64) {
		if number == 1 {
			names = append(names, string(w.at(2))+" "+string(w.at(5)))
		}
	})
	if got := strings.Join(names, ","); got != "login "+repo.GetId()+",auth "+repo.GetId() {
		s.Errorf("listed %s", got)
	}
	s.shows(publishedRows, "ListWorktrees with the id of a repository in field 1")

	// The registry.
	s.daemon.Kill()
	s.start()
	api = pb.NewGitRepoServiceClient(s.daemon.Conn())
	git(s.T, s.world, "init", "-q", filepath.Join(main, "..", "found", "other"))
	scanned, err := api.ScanRepos(ctx, &pb.ScanReposRequest{ScanPath: filepath.Join(filepath.Dir(main), "found"), MaxDepth: 2})
	s.must(err)
	if scanned.GetTotalCount() != 1 || scanned.GetRepos()[0].GetName() != "other" {
		s.Errorf("scanned %v", scanned)
	}
	s.took("ScanReposRequest", "scan_path", "max_depth")
	list, err := api.ListRepos(ctx, &pb.ListReposRequest{Limit: 1, Offset: 1})
	s.must(err)
	if len(list.GetRepos()) != 1 || list.GetTotalCount() != 2 || list.GetRepos()[0].GetName() != "other" {
		s.Errorf("listed %v", list)
	}
	s.took("ListReposRequest", "limit", "offset")
	name, mode, sub, no, script := "renamed", pb.WorktreeMode_WORKTREE_MODE_LOCAL, "places", false, ""
	updated, err := api.UpdateRepo(ctx, &pb.UpdateRepoRequest{
		Id: repo.GetId(), Name: &name, WorktreeMode: &mode, LocalSubfolder: &sub, CustomPath: &custom, SetupScript: &script, AutoGitignore: &no,
	})
	s.must(err)
	if updated.GetName() != name || updated.GetWorktreeMode() != mode || updated.GetLocalSubfolder() != sub || updated.GetAutoGitignore() {
		s.Errorf("updated %v", updated)
	}
	s.took("UpdateRepoRequest", "id", "name", "worktree_mode", "local_subfolder", "custom_path", "setup_script", "auto_gitignore")
	shown, err := api.GetRepo(ctx, &pb.GetRepoRequest{Id: name})
	s.must(err)
	if shown.GetId() != repo.GetId() || shown.GetWorktreeCount() != 2 || shown.GetLastActive() == nil || shown.GetCreatedAt() == nil {
		s.Errorf("shown %v", shown)
	}
	s.took("GetRepoRequest", "id")
	_, err = api.GetRepo(ctx, &pb.GetRepoRequest{Id: "none"})
	s.refused(err, codes.NotFound, "none")

	// Branches.
	b, err := api.CreateBranch(ctx, &pb.CreateBranchRequest{RepoId: repo.GetId(), Name: "topic", StartPoint: "main"})
	s.must(err)
	if b.GetName() != "topic" || len(b.GetCommitSha()) < 40 || b.GetCommitMessage() != "first" {
		s.Errorf("created %v", b)
	}
	s.took("CreateBranchRequest", "repo_id", "name", "start_point")
	_, err = api.CreateBranch(ctx, &pb.CreateBranchRequest{RepoId: repo.GetId(), Name: "a..b"})
	s.refused(err, codes.InvalidArgument, "a..b")
	got, err := api.GetBranch(ctx, &pb.GetBranchRequest{RepoId: repo.GetId(), Name: "main"})
	s.must(err)
	if !got.GetIsHead() || !got.GetHasWorktree() {
		s.Errorf("got %v", got)
	}
	s.took("GetBranchRequest", "repo_id", "name")
	git(s.T, s.world, "update-ref", "refs/remotes/origin/far", "main")
	branches, err := api.ListBranches(ctx, &pb.ListBranchesRequest{RepoId: repo.GetId(), IncludeRemote: true})
	s.must(err)
	if all := branches.GetBranches(); len(all) != 5 || !all[4].GetIsRemote() {
		s.Errorf("branches %v", branches)
	}
	s.took("ListBranchesRequest", "repo_id", "include_remote")
	_, err = api.DeleteBranch(ctx, &pb.DeleteBranchRequest{RepoId: repo.GetId(), Name: "feature/auth"})
	s.refused(err, codes.FailedPrecondition, "checked out")
	deleted, err := api.DeleteBranch(ctx, &pb.DeleteBranchRequest{RepoId: repo.GetId(), Name: "topic", Force: true})
	s.must(err)
	if !deleted.GetDeleted() {
		s.Errorf("deleted %v", deleted)
	}
	s.took("DeleteBranchRequest", "repo_id", "name", "force")

	// The command line.
	if said := s.cli(0, "repo", "list"); !strings.Contains(said, name) || !strings.Contains(said, "other") {
		s.Errorf("listed %s", said)
	}
	s.cli(0, "repo", "branches", "create", name, "again")
	if said := s.cli(0, "repo", "branches", "list", name); !strings.Contains(said, "again") {
		s.Errorf("branches %s", said)
	}
	s.cli(0, "repo", "branches", "delete", name, "again")
	s.cli(0, "repo", "update", "--mode", "global", name)
	if said := s.cli(0, "repo", "show", name); !strings.Contains(said, "betcode-worktrees") {
		s.Errorf("shown %s", said)
	}
	s.cli(0, "repo", "remove", "other")
	s.cli(0, "repo", "scan", filepath.Join(filepath.Dir(main), "found"))
	s.cli(0, "repo", "remove", "other")

	gone, err := api.UnregisterRepo(ctx, &pb.UnregisterRepoRequest{Id: repo.GetId(), RemoveWorktrees: true})
	s.must(err)
	if _, err := os.Stat(path); !gone.GetRemoved() || gone.GetWorktreesRemoved() != 2 || err == nil {
		s.Errorf("unregistered %v, %v", gone, err)
	}
	s.took("UnregisterRepoRequest", "id", "remove_worktrees")
	s.cli(0, "repo", "add", main)
}
