package repository

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// repositories is GitRepoService. Changes of a repository may wait for others and take minutes.
type repositories struct {
	pb.UnimplementedGitRepoServiceServer
	patient handler.Patient
}

// NewRepositories returns GitRepoService.
func NewRepositories(p handler.Patient) pb.GitRepoServiceServer { return repositories{patient: p} }

// RegisterRepo implements GitRepoService.
func (s repositories) RegisterRepo(ctx context.Context, r *pb.RegisterRepoRequest) (*pb.GitRepoDetail, error) {
	const op = "register repository"
	dir, err := absoluteIn(op, "repo_path", r.GetRepoPath())
	mode, wrong := modeOf(op, r.GetWorktreeMode())
	err = cmp.Or(err, wrong, setupScriptIn(op, r.GetSetupScript()))
	m := messages.RegisterRepository{By: by(ctx), Directory: dir, Settings: messages.RepositorySettings{
		Name: r.GetName(), Mode: mode, Subfolder: r.GetLocalSubfolder(), Path: r.GetCustomPath(), Ignore: r.GetAutoGitignore(),
	}}
	return handler.Unary(ctx, s.patient, m, err, repositoryOut)
}

// UnregisterRepo implements GitRepoService.
func (s repositories) UnregisterRepo(ctx context.Context, r *pb.UnregisterRepoRequest) (*pb.UnregisterRepoResponse, error) {
	m := messages.UnregisterRepository{By: by(ctx), Repo: r.GetId(), Worktrees: r.GetRemoveWorktrees()}
	return handler.Unary(ctx, s.patient, m, repoIn("unregister repository", r.GetId()), func(a messages.RepositoryUnregistered) *pb.UnregisterRepoResponse {
		return &pb.UnregisterRepoResponse{Removed: true, WorktreesRemoved: translate.Uint32Of(int64(a.Worktrees))}
	})
}

// ListRepos implements GitRepoService.
func (s repositories) ListRepos(ctx context.Context, r *pb.ListReposRequest) (*pb.ListReposResponse, error) {
	const most = 1 << 30
	m := messages.ListRepositories{Limit: int(min(r.GetLimit(), most)), Offset: int(min(r.GetOffset(), most))}
	return handler.Unary(ctx, s.patient.Asker, m, nil, repositoriesOut)
}

// GetRepo implements GitRepoService.
func (s repositories) GetRepo(ctx context.Context, r *pb.GetRepoRequest) (*pb.GitRepoDetail, error) {
	return handler.Unary(ctx, s.patient.Asker, messages.GetRepository{Repo: r.GetId()}, repoIn("show repository", r.GetId()), repositoryOut)
}

// UpdateRepo implements GitRepoService.
func (s repositories) UpdateRepo(ctx context.Context, r *pb.UpdateRepoRequest) (*pb.GitRepoDetail, error) {
	const op = "change repository"
	m := messages.UpdateRepository{By: by(ctx), Repo: r.GetId(), Name: r.Name, Subfolder: r.LocalSubfolder, Path: r.CustomPath, Ignore: r.AutoGitignore}
	err := cmp.Or(repoIn(op, r.GetId()), setupScriptIn(op, r.GetSetupScript()))
	if r.WorktreeMode != nil {
		mode, wrong := modeOf(op, r.GetWorktreeMode())
		m.Mode, err = &mode, cmp.Or(err, wrong)
	}
	return handler.Unary(ctx, s.patient, m, err, repositoryOut)
}

// ScanRepos implements GitRepoService.
func (s repositories) ScanRepos(ctx context.Context, r *pb.ScanReposRequest) (*pb.ListReposResponse, error) {
	dir, err := absoluteIn("scan for repositories", "scan_path", r.GetScanPath())
	return handler.Unary(ctx, s.patient, messages.ScanRepositories{By: by(ctx), Directory: dir, Depth: int(min(r.GetMaxDepth(), 1<<20))}, err, repositoriesOut)
}

// ListBranches implements GitRepoService.
func (s repositories) ListBranches(ctx context.Context, r *pb.ListBranchesRequest) (*pb.ListBranchesResponse, error) {
	m := messages.ListBranches{Repo: r.GetRepoId(), Remote: r.GetIncludeRemote()}
	return handler.Unary(ctx, s.patient, m, repoIn("list branches", r.GetRepoId()), func(l messages.BranchList) *pb.ListBranchesResponse {
		var out pb.ListBranchesResponse
		for _, b := range l.Branches {
			out.Branches = append(out.Branches, branchOut(b))
		}
		return &out
	})
}

// CreateBranch implements GitRepoService.
func (s repositories) CreateBranch(ctx context.Context, r *pb.CreateBranchRequest) (*pb.BranchInfo, error) {
	m := messages.CreateBranch{By: by(ctx), Repo: r.GetRepoId(), Name: r.GetName(), Start: r.GetStartPoint()}
	return handler.Unary(ctx, s.patient, m, repoIn("create branch", r.GetRepoId()), branchOut)
}

// DeleteBranch implements GitRepoService.
func (s repositories) DeleteBranch(ctx context.Context, r *pb.DeleteBranchRequest) (*pb.DeleteBranchResponse, error) {
	m := messages.DeleteBranch{By: by(ctx), Repo: r.GetRepoId(), Name: r.GetName(), Force: r.GetForce()}
	return handler.Unary(ctx, s.patient, m, repoIn("delete branch", r.GetRepoId()), func(messages.Done) *pb.DeleteBranchResponse {
		return &pb.DeleteBranchResponse{Deleted: true}
	})
}

// GetBranch implements GitRepoService.
func (s repositories) GetBranch(ctx context.Context, r *pb.GetBranchRequest) (*pb.BranchInfo, error) {
	return handler.Unary(ctx, s.patient, messages.GetBranch{Repo: r.GetRepoId(), Name: r.GetName()}, repoIn("show branch", r.GetRepoId()), branchOut)
}

// absoluteIn checks and cleans a required path.
func absoluteIn(op, field, path string) (string, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", wire.Invalid(op, "Give an absolute path.", "%s %q is not an absolute path", field, wire.Clip(path))
	}
	return filepath.Clean(path), nil
}

// repoIn checks the reference to a repository.
func repoIn(op, reference string) error {
	if strings.TrimSpace(reference) == "" {
		return wire.Invalid(op, "Give the id, as 'betcode repo list' shows it.", "the id of the repository is empty")
	}
	return nil
}

// setupScript is the only script that can be the setup of a repository: trust covers its content.
const setupScript = ".betcode/worktree-setup.sh"

func setupScriptIn(op, script string) error {
	if script != "" && script != setupScript {
		return wire.Invalid(op, "Put it into "+setupScript+" of the repository, or into worktree.setup_commands of your settings.",
			"setup_script %q cannot be run: only %s is checked before it runs", wire.Clip(script), setupScript)
	}
	return nil
}

var worktreeModes = map[pb.WorktreeMode]messages.PlaceMode{
	pb.WorktreeMode_WORKTREE_MODE_UNSPECIFIED: messages.PlaceDefault,
	pb.WorktreeMode_WORKTREE_MODE_GLOBAL:      messages.PlaceGlobal,
	pb.WorktreeMode_WORKTREE_MODE_LOCAL:       messages.PlaceLocal,
	pb.WorktreeMode_WORKTREE_MODE_CUSTOM:      messages.PlaceCustom,
}

func modeOf(op string, mode pb.WorktreeMode) (messages.PlaceMode, error) {
	m, known := worktreeModes[mode]
	if !known {
		return m, wire.Invalid(op, "Use GLOBAL, LOCAL or CUSTOM.", "the worktree_mode %d is unknown", mode)
	}
	return m, nil
}

func repositoriesOut(l messages.RepositoryList) *pb.ListReposResponse {
	out := &pb.ListReposResponse{TotalCount: translate.Uint32Of(int64(l.Total))}
	for _, v := range l.Repositories {
		out.Repos = append(out.Repos, repositoryOut(v))
	}
	return out
}

func repositoryOut(v messages.RepositoryView) *pb.GitRepoDetail {
	out := &pb.GitRepoDetail{
		Id: v.ID, Name: translate.TextOut(v.Settings.Name), RepoPath: translate.TextOut(v.Path), LocalSubfolder: v.Settings.Subfolder, CustomPath: v.Settings.Path, SetupScript: setupScript,
		AutoGitignore: v.Settings.Ignore, WorktreeCount: translate.Uint32Of(int64(v.Worktrees)), CreatedAt: translate.TimeOut(v.CreatedAt), LastActive: translate.TimeOut(v.LastActive),
	}
	for mode, place := range worktreeModes {
		if place == v.Settings.Mode {
			out.WorktreeMode = mode
		}
	}
	return out
}

func branchOut(v messages.BranchView) *pb.BranchInfo {
	return &pb.BranchInfo{Name: translate.TextOut(v.Name), IsHead: v.Head, CommitSha: v.Commit, CommitMessage: translate.TextOut(v.Subject), HasWorktree: v.Worktree, IsRemote: v.Remote}
}
