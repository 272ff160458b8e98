package grpcapi

import (
	"context"
	"strings"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// worktreeService is WorktreeService. Changes of a repository may wait for others and take minutes.
type worktreeService struct {
	pb.UnimplementedWorktreeServiceServer
	server *Server
}

// ListWorktrees implements WorktreeService.
func (s worktreeService) ListWorktrees(ctx context.Context, r *pb.ListWorktreesRequest) (*pb.ListWorktreesResponse, error) {
	if list, published, err := s.publishedList(ctx, r); published {
		return list, err
	}
	dir, err := repositoryIn("list worktrees", r.GetRepoPath())
	return unary(ctx, patient{s.server}, messages.ListWorktrees{Directory: dir}, err, func(l messages.WorktreeList) *pb.ListWorktreesResponse {
		return &pb.ListWorktreesResponse{Worktrees: worktreesOut(l.Worktrees)}
	})
}

// CreateWorktree implements WorktreeService.
func (s worktreeService) CreateWorktree(ctx context.Context, r *pb.CreateWorktreeRequest) (*pb.WorktreeInfo, error) {
	if info, published, err := s.publishedCreate(ctx, r); published {
		return info, err
	}
	m, err := createWorktreeIn(r)
	return unary(ctx, patient{s.server}, m, err, worktreeOut)
}

// SwitchWorktree implements WorktreeService.
func (s worktreeService) SwitchWorktree(ctx context.Context, r *pb.SwitchWorktreeRequest) (*pb.SwitchWorktreeResponse, error) {
	reference, err := worktreeIn("switch worktree", r.GetWorktreeId())
	return unary(ctx, patient{s.server}, messages.SwitchWorktree{Worktree: reference}, err, func(a messages.WorktreeSwitched) *pb.SwitchWorktreeResponse {
		return &pb.SwitchWorktreeResponse{Worktree: worktreeOut(a.Worktree), PreviousWorktreeId: a.Previous}
	})
}

// RemoveWorktree implements WorktreeService.
func (s worktreeService) RemoveWorktree(ctx context.Context, r *pb.RemoveWorktreeRequest) (*pb.RemoveWorktreeResponse, error) {
	reference, err := worktreeIn("remove worktree", r.GetWorktreeId())
	m := messages.RemoveWorktree{Worktree: reference, Force: r.GetForce()}
	return unary(ctx, patient{s.server}, m, err, func(a messages.WorktreeRemoved) *pb.RemoveWorktreeResponse {
		return &pb.RemoveWorktreeResponse{Removed: true, SessionsClosed: uint32Of(int64(a.SessionsClosed))}
	})
}

// GetWorktree implements WorktreeService.
func (s worktreeService) GetWorktree(ctx context.Context, r *pb.GetWorktreeRequest) (*pb.WorktreeInfo, error) {
	reference, err := worktreeIn("show worktree", r.GetWorktreeId())
	return unary(ctx, patient{s.server}, messages.GetWorktree{Worktree: reference}, err, worktreeOut)
}

// SetupWorktree implements WorktreeService.
func (s worktreeService) SetupWorktree(ctx context.Context, r *pb.SetupWorktreeRequest) (*pb.WorktreeInfo, error) {
	reference, err := worktreeIn("set up worktree", r.GetWorktreeId())
	return unary(ctx, patient{s.server}, messages.SetupWorktree{Worktree: reference}, err, worktreeOut)
}

// worktreeIn checks the reference to a worktree.
func worktreeIn(op, reference string) (string, error) {
	if strings.TrimSpace(reference) == "" {
		return "", wire.Invalid(op, "Give worktree_id, as 'betcode worktree list' shows it.", "worktree_id is empty")
	}
	return reference, nil
}

// repositoryIn checks and cleans the path of a repository. Empty stays empty.
func repositoryIn(op, path string) (string, error) {
	dir, err := directoryIn(op, path)
	if err != nil {
		return "", wire.Invalid(op, "Give the absolute path of a directory of the repository.", "repo_path %q is not an absolute path", wire.Clip(path))
	}
	return dir, nil
}

func createWorktreeIn(r *pb.CreateWorktreeRequest) (messages.CreateWorktree, error) {
	const op = "create worktree"
	out := messages.CreateWorktree{
		Branch: r.GetBranch(), Name: r.GetName(), Path: r.GetPath(), CreateBranch: r.GetCreateBranch(), Base: r.GetBase(),
	}
	var err error
	if out.Directory, err = repositoryIn(op, r.GetRepoPath()); err != nil {
		return out, err
	}
	if out.Directory == "" {
		return out, wire.Invalid(op, "Give the absolute path of a directory of the repository.", "repo_path is empty")
	}
	return out, nil
}

func worktreesOut(all []messages.WorktreeView) []*pb.WorktreeInfo {
	var out []*pb.WorktreeInfo
	for _, v := range all {
		out = append(out, worktreeOut(v))
	}
	return out
}

func worktreeOut(v messages.WorktreeView) *pb.WorktreeInfo {
	return &pb.WorktreeInfo{
		Id: v.ID, Name: v.Name, Path: textOut(v.Path), Branch: textOut(v.Branch), CreatedAt: timeOut(v.CreatedAt), ActiveSessionId: string(v.ActiveSession),
		RepoPath: textOut(v.Repository), State: worktreeStates[v.State], Active: v.Active, SessionCount: uint32Of(int64(v.Sessions)), Work: workOut(v.Work),
		Setup: setupOut(v.Setup), Leases: leasesOut(v.Leases),
	}
}

var worktreeStates = map[messages.WorktreeState]pb.WorktreeState{
	messages.WorktreeCreating: pb.WorktreeState_WORKTREE_STATE_CREATING,
	messages.WorktreeReady:    pb.WorktreeState_WORKTREE_STATE_READY,
	messages.WorktreeRemoving: pb.WorktreeState_WORKTREE_STATE_REMOVING,
	messages.WorktreeStale:    pb.WorktreeState_WORKTREE_STATE_STALE,
}

var setupStatuses = map[messages.SetupStatus]pb.WorktreeSetupStatus{
	messages.SetupRunning:    pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_RUNNING,
	messages.SetupReady:      pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_READY,
	messages.SetupFailed:     pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_FAILED,
	messages.SetupTimeout:    pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_TIMEOUT,
	messages.SetupNotTrusted: pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_NOT_TRUSTED,
}

func setupOut(s messages.WorktreeSetup) *pb.WorktreeSetup {
	if s.Status == messages.SetupNone {
		return nil
	}
	return &pb.WorktreeSetup{Status: setupStatuses[s.Status], Output: textOut(s.Output)}
}

func workOut(w *messages.WorktreeWork) *pb.WorktreeWork {
	if w == nil {
		return nil
	}
	return &pb.WorktreeWork{
		Commit: w.Commit, ChangedFiles: uint32Of(int64(w.Changed)), UntrackedFiles: uint32Of(int64(w.Untracked)), Upstream: textOut(w.Upstream), Ahead: w.Ahead, Behind: w.Behind,
		Unpushed: w.Unpushed, DiskBytes: w.DiskBytes, DiskBytesPartial: w.DiskFailed,
	}
}

// textOut is text that may have any bytes, such as a path, on the wire.
func textOut(s string) string { return strings.ToValidUTF8(s, "?") }
