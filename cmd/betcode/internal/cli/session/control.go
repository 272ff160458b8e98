package session

import (
	"context"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

func (p group) renameSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	_, err = cl.Agent.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: id, Name: c.Args().Get(1)})
	return err
}

func (p group) cancelSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("repeat") {
		stopped, err := cl.Admin.StopRepeat(ctx, &pb.StopRepeatRequest{SessionId: id})
		if err != nil {
			return err
		}
		if !stopped.GetWasRepeating() {
			p.Say("No prompt was being repeated.")
		}
		return nil
	}
	cancelled, err := cl.Agent.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: id, Reason: c.String("reason")})
	if err != nil {
		return err
	}
	if !cancelled.GetWasActive() {
		p.Say("No turn was running.")
	}
	return nil
}

func (p group) resumeSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	continued, err := cl.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: id})
	if err != nil {
		return err
	}
	if !continued.GetWasWaiting() {
		p.Say("Nothing was waiting.")
	}
	return nil
}

func (p group) restartSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	restarted, err := cl.Admin.RestartSession(ctx, &pb.RestartSessionRequest{SessionId: id})
	if err != nil {
		return err
	}
	switch {
	case restarted.GetQueued():
		p.Say("The agent has not started yet: %s.", p.whyQueued(ctx, c, cl))
	case !restarted.GetWasRunning():
		p.Say("No agent was running; one is running now.")
	}
	return nil
}

// whyQueued returns the reason why the agent of a session cannot start yet.
func (p group) whyQueued(ctx context.Context, c *cli.Context, cl *client.Client) string {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return sessionstate.WaitText("")
	}
	if r, err := cl.Fleet.GetFleet(ctx, &pb.GetFleetRequest{}); err == nil {
		for _, w := range r.GetFleet().GetWaiting() {
			if w.GetSessionId() == id {
				return sessionstate.WaitText(w.GetReason())
			}
		}
	}
	return sessionstate.WaitText("")
}
