package orchestrate

import (
	"context"
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// waitingPoll is how often the requests are listed that wait for a person.
const waitingPoll = time.Second

// waitingRequests sends the requests that wait in a session and in the subagents below it, again and again until ctx ends. A list
// that fails is left out: the watch of the orchestration reports a daemon that does not answer.
func waitingRequests(ctx context.Context, cl *client.Client, session string, out chan<- []*pb.PendingPermission) {
	tick := time.NewTicker(waitingPoll)
	defer tick.Stop()
	for {
		list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{SessionId: session})
		if err == nil {
			select {
			case out <- list.GetPermissions():
			case <-ctx.Done():
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// waiting shows which steps wait for a person: in the picture, and once for each request as a line.
func (s *screen) waiting(all []*pb.PendingPermission) {
	now := map[string]bool{}
	waits := map[string]bool{}
	for _, p := range all {
		step, ours := s.steps[p.GetSessionId()]
		if !ours {
			continue
		}
		key := p.GetSessionId() + "/" + p.GetRequestId()
		now[key], waits[step] = true, true
		if !s.asked[key] && !s.live {
			line := fmt.Sprintf("%s waits for you: %s: %s", step, p.GetToolName(), p.GetDescription())
			fmt.Fprintln(s.p.Stdout, console.Shorten(console.Line(line), 300))
			s.p.Say("Answer it: betcode permission list")
		}
	}
	s.asked = now
	for i := range s.nodes {
		n, note := &s.nodes[i], ""
		if waits[n.ID] {
			note = "waits for you: betcode permission list"
		}
		if n.Status == "running" && n.Note != note {
			n.Note, s.dirty = note, true
		}
	}
}
