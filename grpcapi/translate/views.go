package translate

import (
	"fmt"
	"time"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ViewOut translates a session and its present state.
func ViewOut(v messages.SessionView, now time.Time) *pb.ShowSessionResponse {
	out := &pb.ShowSessionResponse{
		Summary:        SummaryOut(&v.Record, now),
		Head:           uint64(v.Record.Head),
		AgentSessionId: v.Record.AgentSession,
		PermissionMode: v.Record.PermissionMode,
		Run:            runOut(v.Run),
		LockHolder:     string(v.LockHolder),
		Clients:        Saturate(uint64(max(v.Clients, 0))),
		Grants:         GrantsOut(v.Record.Grants),
		Metadata:       v.Record.Metadata,
		Boundary:       uint64(v.Record.Past.Boundary.Seq),
		LowWater:       uint64(v.Record.Past.LowWater),
		ConfirmedModes: v.Record.Confirmed,
		Options:        optionsOut(v.Record.Options),
		ForkedFrom:     ForkOut(v.Record.Fork),
		Repetition:     repetitionOut(v.Record.Repetition),
	}
	for _, c := range v.Attached {
		out.Attached = append(out.Attached, &pb.AttachedClient{ClientId: string(c.Client), Type: c.Type, Observer: c.Observer, Since: TimeOut(c.Since)})
	}
	out.Restricted, out.Withheld = v.Guard.Restricted(), findingsOut(v.Guard.Withheld)
	for _, c := range v.LockWaiting {
		out.LockWaiting = append(out.LockWaiting, string(c))
	}
	for _, p := range v.Permissions {
		if p.Decision == messages.Undecided {
			out.Permissions = append(out.Permissions, PendingOut(p, v.Record))
			NoteAsks(out.Summary, []messages.PermissionRecord{p})
		}
	}
	for _, i := range v.Inputs {
		out.Inputs = append(out.Inputs, &pb.PendingInput{IdempotencyKey: i.Key, State: inputStateOut(i.State), Sequence: uint64(i.Seq)})
	}
	return out
}

func repetitionOut(r messages.Repetition) *pb.Repetition {
	if !r.Active() {
		return nil
	}
	return &pb.Repetition{IdempotencyKey: r.Key, Iteration: r.Sent, Max: r.Max, Marker: r.Marker, Since: TimeOut(r.Since)}
}

func runOut(r *messages.RunRecord) *pb.RunInfo {
	if r == nil {
		return nil
	}
	return &pb.RunInfo{
		Run:         uint64(r.Run),
		Pid:         int32(r.Process.PID),
		LauncherPid: int32(r.Launcher.PID),
		StartedAt:   TimeOut(r.StartedAt),
		State:       runStateOut(r),
		Directory:   r.Directory,
		Alarm:       string(r.Alarm),
		Frozen:      r.Frozen,
		Fence:       r.Fence,
	}
}

func runStateOut(r *messages.RunRecord) pb.RunState {
	switch r.State {
	case messages.RunIntended:
		return pb.RunState_RUN_STATE_UNSPECIFIED
	case messages.RunRunning:
		return pb.RunState_RUN_STATE_STARTED
	case messages.RunFinished:
		if !r.Exit.Known {
			return pb.RunState_RUN_STATE_LOST
		}
		return pb.RunState_RUN_STATE_EXITED
	}
	return pb.RunState(r.State)
}

func inputStateOut(s messages.InputState) string {
	switch s {
	case messages.InputAccepted:
		return "accepted"
	case messages.InputWriting:
		return "writing"
	case messages.InputWritten:
		return "written"
	case messages.InputQueued:
		return "queued"
	case messages.InputStarted:
		return "started"
	case messages.InputFolded:
		return "folded"
	}
	return fmt.Sprintf("state %d", s)
}
