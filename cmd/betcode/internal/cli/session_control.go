package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func (p *program) renameSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	_, err = cl.Agent.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: id, Name: c.Args().Get(1)})
	return err
}

func (p *program) stopSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	stopped, err := cl.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	if !stopped.GetWasRunning() {
		p.Say("No agent was running.")
	}
	return nil
}

func (p *program) cancelSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	if c.Bool("repeat") {
		stopped, err := cl.Admin.StopRepeat(ctx, &pb.StopRepeatRequest{SessionId: c.Args().First()})
		if err != nil {
			return err
		}
		if !stopped.GetWasRepeating() {
			p.Say("No prompt was being repeated.")
		}
		return nil
	}
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
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

func (p *program) resumeSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	continued, err := cl.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	if !continued.GetWasWaiting() {
		p.Say("Nothing was waiting.")
	}
	return nil
}

func (p *program) restartSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	restarted, err := cl.Admin.RestartSession(ctx, &pb.RestartSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	switch {
	case restarted.GetQueued():
		p.Say("All agents are busy; the agent starts when a slot is free.")
	case !restarted.GetWasRunning():
		p.Say("No agent was running; one is running now.")
	}
	return nil
}

func (p *program) deleteSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	view, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	s := view.GetSummary()
	if !c.Bool("yes") {
		if !p.Terminal.In {
			return exit.Usage(errors.New("deleting cannot be undone: add --yes"))
		}
		if !p.Confirm(fmt.Sprintf("Delete session %s %s and its history permanently?", console.ShortID(s.GetId()), console.Line(s.GetName())), false) {
			return exit.Silent(exit.Interrupted)
		}
	}
	r, err := cl.Agent.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: s.GetId()})
	if err != nil {
		return err
	}
	if !r.GetDeleted() {
		p.Say("It was deleted meanwhile.")
	}
	return nil
}
