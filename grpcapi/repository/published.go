package repository

import (
	"context"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Published clients number the fields of CreateWorktree differently: 1 name, 2 id of a registered repository, 3 branch,
// 4 setup script. In ListWorktrees, field 1 is the id of a repository. Such a request is recognised by that id. It is
// answered with the WorktreeDetail of those clients, whose fields from 5 have other types: 5 repository id, 6 setup
// script, 7 on disk, 8 sessions, 9 creation, 10 last use.

// publishedRepository returns the registered repository with the id in a field; false if there is none.
func (s worktrees) publishedRepository(ctx context.Context, id string) (messages.RepositoryView, bool) {
	if len(id) != len("01234567-89ab-cdef-0123-456789abcdef") || filepath.IsAbs(id) {
		return messages.RepositoryView{}, false
	}
	view, err := handler.Ask[messages.RepositoryView](ctx, s.patient, messages.GetRepository{Repo: id})
	return view, err == nil && view.ID == id
}

// publishedCreate creates a worktree for a published client; false if the request is not from one. It also creates a
// missing branch, since published clients have no field for that.
func (s worktrees) publishedCreate(ctx context.Context, r *pb.CreateWorktreeRequest) (*pb.WorktreeInfo, bool, error) {
	if filepath.IsAbs(r.GetRepoPath()) {
		return nil, false, nil
	}
	repository, known := s.publishedRepository(ctx, r.GetBranch())
	if !known {
		return nil, false, nil
	}
	name, branch, script := r.GetRepoPath(), r.GetName(), r.GetPath()
	if err := setupScriptIn("create worktree", script); err != nil {
		return nil, true, err
	}
	if branch == "" {
		branch = name
	}
	m := messages.CreateWorktree{By: by(ctx), Directory: repository.Path, Branch: branch, Name: name}
	_, err := handler.Ask[messages.BranchView](ctx, s.patient, messages.GetBranch{Repo: repository.ID, Name: branch})
	m.CreateBranch = messages.KindOf(err) == messages.NotFound && err != nil
	info, err := handler.Unary(ctx, s.patient, m, nil, func(v messages.WorktreeView) *pb.WorktreeInfo { return publishedWorktree(v, repository.ID) })
	return info, true, err
}

// publishedList lists the worktrees of a repository for a published client; false if the request is not from one.
func (s worktrees) publishedList(ctx context.Context, r *pb.ListWorktreesRequest) (*pb.ListWorktreesResponse, bool, error) {
	repository, known := s.publishedRepository(ctx, r.GetRepoPath())
	if !known {
		return nil, false, nil
	}
	list, err := handler.Unary(ctx, s.patient, messages.ListWorktrees{Directory: repository.Path}, nil, func(l messages.WorktreeList) *pb.ListWorktreesResponse {
		var out pb.ListWorktreesResponse
		for _, v := range l.Worktrees {
			out.Worktrees = append(out.Worktrees, publishedWorktree(v, repository.ID))
		}
		return &out
	})
	return list, true, err
}

// publishedWorktree translates a worktree with the field numbers of published clients.
func publishedWorktree(v messages.WorktreeView, repository string) *pb.WorktreeInfo {
	out := &pb.WorktreeInfo{Id: v.ID, Name: v.Name, Path: translate.TextOut(v.Path), Branch: translate.TextOut(v.Branch)}
	var raw []byte
	text := func(number protowire.Number, value string) {
		raw = protowire.AppendString(protowire.AppendTag(raw, number, protowire.BytesType), value)
	}
	count := func(number protowire.Number, value uint64) {
		raw = protowire.AppendVarint(protowire.AppendTag(raw, number, protowire.VarintType), value)
	}
	text(5, repository)
	text(6, setupScript)
	count(7, protowire.EncodeBool(v.State != messages.WorktreeStale))
	count(8, uint64(max(v.Sessions, 0)))
	if created, err := proto.Marshal(translate.TimeOut(v.CreatedAt)); err == nil { // marshalling a timestamp cannot fail
		for _, number := range []protowire.Number{9, 10} {
			raw = protowire.AppendBytes(protowire.AppendTag(raw, number, protowire.BytesType), created)
		}
	}
	out.ProtoReflect().SetUnknown(raw)
	return out
}
