package cli

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

func TestKept(t *testing.T) {
	since := time.Unix(1000, 0)
	unneeded := &pb.WorktreeInfo{State: pb.WorktreeState_WORKTREE_STATE_READY, Work: &pb.WorktreeWork{Ahead: 1}, LastUsed: timestamppb.New(since.Add(-1))}
	for name, c := range map[string]struct {
		change func(*pb.WorktreeInfo)
		want   string
	}{
		"unneeded":  {func(*pb.WorktreeInfo) {}, ""},
		"used":      {func(w *pb.WorktreeInfo) { w.LastUsed = timestamppb.New(since) }, "used"},
		"not dated": {func(w *pb.WorktreeInfo) { w.LastUsed = nil }, "used"},
		"changed":   {func(w *pb.WorktreeInfo) { w.Work.ChangedFiles = 1 }, "1 changed, 1 ahead"},
		"untracked": {func(w *pb.WorktreeInfo) { w.Work.UntrackedFiles = 2 }, "2 untracked, 1 ahead"},
		"unpushed":  {func(w *pb.WorktreeInfo) { w.Work.Unpushed = 3 }, "3 unpushed, 1 ahead"},
		"not known": {func(w *pb.WorktreeInfo) { w.Work = nil }, "unknown"},
		"creating":  {func(w *pb.WorktreeInfo) { w.State = pb.WorktreeState_WORKTREE_STATE_CREATING }, "creating"},
		"leased": {func(w *pb.WorktreeInfo) {
			w.Leases = []*pb.WorktreeLease{{State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD}}
		}, "leased"},
		"lease ended": {func(w *pb.WorktreeInfo) {
			w.Leases = []*pb.WorktreeLease{{State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_ENDED}}
		}, ""},
		"setup": {func(w *pb.WorktreeInfo) {
			w.Setup = &pb.WorktreeSetup{Status: pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_RUNNING}
		}, "its setup runs"},
		"stale": {func(w *pb.WorktreeInfo) { w.State, w.Work = pb.WorktreeState_WORKTREE_STATE_STALE, nil }, ""},
		"setup failed": {func(w *pb.WorktreeInfo) {
			w.Setup = &pb.WorktreeSetup{Status: pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_FAILED}
		}, ""},
	} {
		w := proto.CloneOf(unneeded)
		c.change(w)
		if got := kept(w, since); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
