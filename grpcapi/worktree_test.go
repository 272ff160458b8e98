package grpcapi

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// worktrees serves the service with its feature on.
func worktrees(t *testing.T, answer func(messages.Request) (messages.Reply, error)) (pb.WorktreeServiceClient, *fakeAsker) {
	t.Helper()
	conn, asker := serveFeature(t, "worktree_management", answer)
	return pb.NewWorktreeServiceClient(conn), asker
}

func TestWorktrees(t *testing.T) {
	view := messages.WorktreeView{
		ID: keyA, Name: "fresh", Path: "/p-\xff", Branch: "b", Repository: "/p", State: messages.WorktreeReady, Active: true, CreatedAt: time.Unix(7, 0),
		Sessions: 2, ActiveSession: sessionA, Setup: messages.WorktreeSetup{Status: messages.SetupTimeout, Output: "slow"},
		Work: &messages.WorktreeWork{Commit: "12", Changed: 1, Untracked: 2, Upstream: "o/b", Ahead: 3, Behind: 4, Unpushed: 5, DiskBytes: 6, DiskFailed: true},
	}
	want := &pb.WorktreeInfo{
		Id: keyA, Name: "fresh", Path: "/p-?", Branch: "b", CreatedAt: translate.TimeOut(time.Unix(7, 0)), ActiveSessionId: sessionA, RepoPath: "/p",
		State: pb.WorktreeState_WORKTREE_STATE_READY, Active: true, SessionCount: 2,
		Setup: &pb.WorktreeSetup{Status: pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_TIMEOUT, Output: "slow"},
		Work:  &pb.WorktreeWork{Commit: "12", ChangedFiles: 1, UntrackedFiles: 2, Upstream: "o/b", Ahead: 3, Behind: 4, Unpushed: 5, DiskBytes: 6, DiskBytesPartial: true},
	}
	client, asker := worktrees(t, func(r messages.Request) (messages.Reply, error) {
		switch r.(type) {
		case messages.ListWorktrees:
			return messages.WorktreeList{Worktrees: []messages.WorktreeView{view, {State: messages.WorktreeStale}}}, nil
		case messages.RemoveWorktree:
			return messages.WorktreeRemoved{SessionsClosed: 3}, nil
		case messages.SwitchWorktree:
			return messages.WorktreeSwitched{Worktree: view, Previous: "before"}, nil
		}
		return view, nil
	})
	ctx := as(t, "c")
	list := must[*pb.ListWorktreesResponse](t)(client.ListWorktrees(ctx, &pb.ListWorktreesRequest{RepoPath: "/p/x/.."})).GetWorktrees()
	if len(list) != 2 || !proto.Equal(list[0], want) || list[1].GetState() != pb.WorktreeState_WORKTREE_STATE_STALE || list[1].GetWork() != nil || list[1].GetSetup() != nil {
		t.Errorf("list: %v", list)
	}
	created := must[*pb.WorktreeInfo](t)(client.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: "/p", Branch: "b", Name: "n", Path: "/x", CreateBranch: true, Base: "main"}))
	got := must[*pb.WorktreeInfo](t)(client.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: "fresh"}))
	switched := must[*pb.SwitchWorktreeResponse](t)(client.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: "fresh"}))
	removed := must[*pb.RemoveWorktreeResponse](t)(client.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: "fresh", Force: true}))
	if !proto.Equal(created, want) || !proto.Equal(got, want) || !proto.Equal(switched.GetWorktree(), want) || switched.GetPreviousWorktreeId() != "before" ||
		!removed.GetRemoved() || removed.GetSessionsClosed() != 3 {
		t.Errorf("%v\n%v\n%v\n%v", created, got, switched, removed)
	}
	if again := must[*pb.WorktreeInfo](t)(client.SetupWorktree(ctx, &pb.SetupWorktreeRequest{WorktreeId: "fresh"})); !proto.Equal(again, want) {
		t.Errorf("%v", again)
	}
	by := messages.By{Client: "c"}
	for n, want := range []messages.Request{
		messages.ListWorktrees{Directory: "/p"},
		messages.CreateWorktree{By: by, Directory: "/p", Branch: "b", Name: "n", Path: "/x", CreateBranch: true, Base: "main"},
		messages.GetWorktree{Worktree: "fresh"},
		messages.SwitchWorktree{By: by, Worktree: "fresh"},
		messages.RemoveWorktree{By: by, Worktree: "fresh", Force: true},
		messages.SetupWorktree{By: by, Worktree: "fresh"},
	} {
		if got := asker.saw()[n]; !reflect.DeepEqual(got, want) {
			t.Errorf("asked %+v, want %+v", got, want)
		}
	}
}

func TestWorktreesRefused(t *testing.T) {
	client, asker := worktrees(t, nil)
	ctx := as(t, "c")
	for name, err := range map[string]error{
		"list":         second(client.ListWorktrees(ctx, &pb.ListWorktreesRequest{RepoPath: "relative"})),
		"create":       second(client.CreateWorktree(ctx, &pb.CreateWorktreeRequest{Branch: "b"})),
		"create there": second(client.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: "there", Branch: "b"})),
		"get":          second(client.GetWorktree(ctx, &pb.GetWorktreeRequest{})),
		"switch":       second(client.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: " "})),
		"set up":       second(client.SetupWorktree(ctx, &pb.SetupWorktreeRequest{})),
		"remove":       second(client.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{})),
	} {
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked := asker.saw(); len(asked) != 0 {
		t.Errorf("asked %v", asked)
	}
	off, _ := serve(t, &fakeAsker{})
	if _, err := pb.NewWorktreeServiceClient(off).ListWorktrees(ctx, &pb.ListWorktreesRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("without the feature: %v", err)
	}
}
