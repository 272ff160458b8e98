package lines

import (
	"fmt"
	"time"

	pb "betcode/proto/betcode/v1"
)

// repeated returns the progress of a repeated prompt for people, where possible in the words of other servers.
func repeated(p *pb.RepeatProgress) string {
	after := fmt.Sprintf("after **%d** iteration", p.GetIteration())
	if p.GetIteration() != 1 {
		after += "s"
	}
	total := fmt.Sprintf(" (total: %s)", elapsed(time.Duration(p.GetElapsedMs())*time.Millisecond)) //nolint:gosec // only shown to people
	switch p.GetState() {
	case pb.RepeatState_REPEAT_STATE_PROMPTED:
		return fmt.Sprintf("**Wiggum** loop **%d** / %d", p.GetIteration(), p.GetMax())
	case pb.RepeatState_REPEAT_STATE_COMPLETE:
		return "**Wiggum complete** " + after + total
	case pb.RepeatState_REPEAT_STATE_EXHAUSTED, pb.RepeatState_REPEAT_STATE_FAILED, pb.RepeatState_REPEAT_STATE_CANCELLED, pb.RepeatState_REPEAT_STATE_UNSPECIFIED:
	}
	return "**Wiggum stopped** " + after + total + ": " + p.GetReason()
}

// elapsed formats a duration for people.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Truncate(time.Second).String()
}
