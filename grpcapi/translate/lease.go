package translate

import (
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// LeaseIn translates how a session shares its worktree.
func LeaseIn(op string, lock pb.WorktreeLock, worktree string) (messages.LeaseMode, error) {
	mode := messages.LeaseNone
	switch lock {
	case pb.WorktreeLock_WORKTREE_LOCK_UNSPECIFIED, pb.WorktreeLock_WORKTREE_LOCK_NONE:
	case pb.WorktreeLock_WORKTREE_LOCK_SHARED:
		mode = messages.LeaseShared
	case pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE:
		mode = messages.LeaseExclusive
	default:
		return mode, wire.Invalid(op, "Use NONE, SHARED or EXCLUSIVE.", "the worktree_lock %d is unknown", lock)
	}
	if mode != messages.LeaseNone && worktree == "" {
		return mode, wire.Invalid(op, "Give worktree_id, or leave worktree_lock out.", "a worktree_lock needs a worktree")
	}
	return mode, nil
}

// LeasesOut translates the leases of a worktree.
func LeasesOut(all []messages.WorktreeLease) []*pb.WorktreeLease {
	var out []*pb.WorktreeLease
	for _, l := range all {
		lease := &pb.WorktreeLease{
			SessionId: string(l.Holder), Lock: pb.WorktreeLock_WORKTREE_LOCK_SHARED, Since: TimeOut(l.Since), State: pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD,
		}
		if l.Mode == messages.LeaseExclusive {
			lease.Lock = pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE
		}
		switch {
		case l.Stale:
			lease.State = pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_STALE
		case l.Ended:
			lease.State = pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_ENDED
		}
		out = append(out, lease)
	}
	return out
}
