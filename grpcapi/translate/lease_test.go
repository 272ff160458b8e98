package translate

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestLeases(t *testing.T) {
	modes := map[pb.WorktreeLock]messages.LeaseMode{0: "", 1: "", 2: messages.LeaseShared, 3: messages.LeaseExclusive}
	each(pb.WorktreeLock(0), func(n protoreflect.EnumNumber, known bool) {
		start, err := StartIn(&pb.StartConversation{WorktreeId: "w", WorktreeLock: pb.WorktreeLock(n)}, "c")
		if known != (err == nil) || start.Lease != modes[pb.WorktreeLock(n)] {
			t.Errorf("lock %d: %q, %v", n, start.Lease, err)
		}
	})
	if _, err := StartIn(&pb.StartConversation{WorkingDirectory: "/p", WorktreeLock: pb.WorktreeLock_WORKTREE_LOCK_SHARED}, "c"); wire.Status(err).Code() != codes.InvalidArgument {
		t.Errorf("a lock of no worktree: %v", err)
	}
	at := time.Unix(5, 0)
	got := LeasesOut([]messages.WorktreeLease{
		{Holder: "a", Mode: messages.LeaseExclusive, Since: at}, {Holder: "b", Mode: messages.LeaseShared, Ended: true}, {Holder: "c", Mode: messages.LeaseShared, Ended: true, Stale: true},
	})
	want := []*pb.WorktreeLease{
		{SessionId: "a", Lock: pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE, Since: TimeOut(at), State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD},
		{SessionId: "b", Lock: pb.WorktreeLock_WORKTREE_LOCK_SHARED, State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_ENDED},
		{SessionId: "c", Lock: pb.WorktreeLock_WORKTREE_LOCK_SHARED, State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_STALE},
	}
	for n := range want {
		if !proto.Equal(got[n], want[n]) {
			t.Errorf("%v, want %v", got[n], want[n])
		}
	}
}
