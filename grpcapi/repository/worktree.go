package repository

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// worktrees is WorktreeService. Changes of a repository may wait for others and take minutes.
type worktrees struct {
	pb.UnimplementedWorktreeServiceServer
	patient handler.Patient
}

// NewWorktrees returns WorktreeService.
func NewWorktrees(p handler.Patient) pb.WorktreeServiceServer {
	return worktrees{patient: p}
}

// ListWorktrees implements WorktreeService.
func (s worktrees) ListWorktrees(ctx context.Context, r *pb.ListWorktreesRequest) (*pb.ListWorktreesResponse, error) {
	if list, published, err := s.publishedList(ctx, r); published {
		return list, err
	}
	dir, err := repositoryIn("list worktrees", r.GetRepoPath())
	return handler.Unary(ctx, s.patient, messages.ListWorktrees{Directory: dir}, err, func(l messages.WorktreeList) *pb.ListWorktreesResponse {
		return &pb.ListWorktreesResponse{Worktrees: WorktreesOut(l.Worktrees)}
	})
}

// CreateWorktree implements WorktreeService.
func (s worktrees) CreateWorktree(ctx context.Context, r *pb.CreateWorktreeRequest) (*pb.WorktreeInfo, error) {
	if info, published, err := s.publishedCreate(ctx, r); published {
		return info, err
	}
	m, err := createWorktreeIn(r, by(ctx))
	return handler.Unary(ctx, s.patient, m, err, worktreeOut)
}

// SwitchWorktree implements WorktreeService.
func (s worktrees) SwitchWorktree(ctx context.Context, r *pb.SwitchWorktreeRequest) (*pb.SwitchWorktreeResponse, error) {
	reference, err := worktreeIn("switch worktree", r.GetWorktreeId())
	return handler.Unary(ctx, s.patient, messages.SwitchWorktree{By: by(ctx), Worktree: reference}, err, func(a messages.WorktreeSwitched) *pb.SwitchWorktreeResponse {
		return &pb.SwitchWorktreeResponse{Worktree: worktreeOut(a.Worktree), PreviousWorktreeId: a.Previous}
	})
}

// RemoveWorktree implements WorktreeService.
func (s worktrees) RemoveWorktree(ctx context.Context, r *pb.RemoveWorktreeRequest) (*pb.RemoveWorktreeResponse, error) {
	reference, err := worktreeIn("remove worktree", r.GetWorktreeId())
	m := messages.RemoveWorktree{By: by(ctx), Worktree: reference, Force: r.GetForce()}
	if r.GetUnusedSince() != nil {
		m.UnusedSince = r.GetUnusedSince().AsTime()
	}
	return handler.Unary(ctx, s.patient, m, err, func(a messages.WorktreeRemoved) *pb.RemoveWorktreeResponse {
		return &pb.RemoveWorktreeResponse{Removed: true, SessionsClosed: translate.Uint32Of(int64(a.SessionsClosed))}
	})
}

// PruneWorktrees implements WorktreeService.
func (s worktrees) PruneWorktrees(ctx context.Context, r *pb.PruneWorktreesRequest) (*pb.PruneWorktreesResponse, error) {
	const op = "prune worktrees"
	dir, err := repositoryIn(op, r.GetRepoPath())
	if err == nil && (r.GetUnusedSince() == nil || !r.GetUnusedSince().IsValid()) {
		err = wire.Invalid(op, "Give the time before which they were last used.", "unused_since is missing")
	}
	m := messages.PruneWorktrees{By: by(ctx), Directory: dir, UnusedSince: r.GetUnusedSince().AsTime(), DryRun: r.GetDryRun()}
	return handler.Unary(ctx, s.patient, m, err, func(a messages.WorktreesPruned) *pb.PruneWorktreesResponse {
		out := &pb.PruneWorktreesResponse{Examined: translate.Uint32Of(int64(a.Examined))}
		for _, p := range a.Worktrees {
			each := &pb.PrunedWorktree{Worktree: worktreeOut(p.Worktree), Removed: p.Removed}
			if p.Problem != nil {
				each.Problem = translate.TextOut(wire.Sentence(p.Problem))
			}
			out.Worktrees = append(out.Worktrees, each)
		}
		return out
	})
}

// GetWorktree implements WorktreeService.
func (s worktrees) GetWorktree(ctx context.Context, r *pb.GetWorktreeRequest) (*pb.WorktreeInfo, error) {
	reference, err := worktreeIn("show worktree", r.GetWorktreeId())
	return handler.Unary(ctx, s.patient, messages.GetWorktree{Worktree: reference}, err, worktreeOut)
}

// SetupWorktree implements WorktreeService.
func (s worktrees) SetupWorktree(ctx context.Context, r *pb.SetupWorktreeRequest) (*pb.WorktreeInfo, error) {
	reference, err := worktreeIn("set up worktree", r.GetWorktreeId())
	return handler.Unary(ctx, s.patient, messages.SetupWorktree{By: by(ctx), Worktree: reference}, err, worktreeOut)
}

// WatchWorktreeSetup implements WorktreeService. It reads a page after it has sent the one before, so a slow client
// needs no buffer.
func (s worktrees) WatchWorktreeSetup(r *pb.WatchWorktreeSetupRequest, stream grpc.ServerStreamingServer[pb.WorktreeSetupEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	reference, err := worktreeIn("watch setup", r.GetWorktreeId())
	if err != nil {
		return err
	}
	m := messages.ReadSetup{Worktree: reference}
	for {
		page, err := handler.Ask[messages.SetupPage](ctx, s.patient, m)
		if err != nil {
			return err
		}
		if page.Ended || len(page.Output) > 0 {
			event := &pb.WorktreeSetupEvent{Output: page.Output, Offset: page.From, Status: setupStatuses[page.Status]}
			if err := stream.Send(event); err != nil {
				return err
			}
		}
		if page.Ended {
			return nil
		}
		m.Run, m.From = page.Run, page.Next
		select {
		case <-page.Changed:
		case <-s.patient.Draining:
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// CancelWorktreeSetup implements WorktreeService.
func (s worktrees) CancelWorktreeSetup(ctx context.Context, r *pb.CancelWorktreeSetupRequest) (*pb.WorktreeInfo, error) {
	reference, err := worktreeIn("cancel setup", r.GetWorktreeId())
	return handler.Unary(ctx, s.patient, messages.CancelSetup{By: by(ctx), Worktree: reference}, err, worktreeOut)
}

// by returns the caller and its idempotency key.
func by(ctx context.Context) messages.By {
	c := auth.CallOf(ctx)
	return messages.By{Client: c.Client, Key: c.Key, Digest: c.Digest}
}

// worktreeIn checks the reference to a worktree.
func worktreeIn(op, reference string) (string, error) {
	if strings.TrimSpace(reference) == "" {
		return "", wire.Invalid(op, "Give an id or a name, as 'betcode worktree list' shows them.", "no worktree is named: the reference is empty")
	}
	return reference, nil
}

// repositoryIn checks and cleans the path of a repository. Empty stays empty.
func repositoryIn(op, path string) (string, error) {
	dir, err := translate.DirectoryIn(op, path)
	if err != nil {
		return "", wire.Invalid(op, "Give the absolute path of a directory of the repository.", "repo_path %q is not an absolute path", wire.Clip(path))
	}
	return dir, nil
}

func createWorktreeIn(r *pb.CreateWorktreeRequest, caller messages.By) (messages.CreateWorktree, error) {
	const op = "create worktree"
	out := messages.CreateWorktree{
		By: caller, Branch: r.GetBranch(), Name: r.GetName(), Path: r.GetPath(), CreateBranch: r.GetCreateBranch(), Base: r.GetBase(),
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

// WorktreesOut translates worktrees.
func WorktreesOut(all []messages.WorktreeView) []*pb.WorktreeInfo {
	var out []*pb.WorktreeInfo
	for _, v := range all {
		out = append(out, worktreeOut(v))
	}
	return out
}

func worktreeOut(v messages.WorktreeView) *pb.WorktreeInfo {
	return &pb.WorktreeInfo{
		Id: v.ID, Name: v.Name, Path: translate.TextOut(v.Path), Branch: translate.TextOut(v.Branch), CreatedAt: translate.TimeOut(v.CreatedAt), ActiveSessionId: string(v.ActiveSession),
		RepoPath: translate.TextOut(v.Repository), State: worktreeStates[v.State], Active: v.Active, SessionCount: translate.Uint32Of(int64(v.Sessions)), Work: workOut(v.Work),
		Setup: setupOut(v.Setup), Leases: translate.LeasesOut(v.Leases), LastUsed: translate.TimeOut(v.LastUsed),
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
	messages.SetupCanceled:   pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_CANCELED,
}

func setupOut(s messages.WorktreeSetup) *pb.WorktreeSetup {
	if s.Status == messages.SetupNone {
		return nil
	}
	return &pb.WorktreeSetup{Status: setupStatuses[s.Status], Output: translate.TextOut(s.Output)}
}

func workOut(w *messages.WorktreeWork) *pb.WorktreeWork {
	if w == nil {
		return nil
	}
	return &pb.WorktreeWork{
		Commit: w.Commit, ChangedFiles: translate.Uint32Of(int64(w.Changed)), UntrackedFiles: translate.Uint32Of(int64(w.Untracked)), Upstream: translate.TextOut(w.Upstream), Ahead: w.Ahead, Behind: w.Behind,
		Unpushed: w.Unpushed, DiskBytes: w.DiskBytes, DiskBytesPartial: w.DiskFailed,
	}
}
