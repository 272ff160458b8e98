package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// commandPatience bounds a command; stopping an agent takes longest.
const commandPatience = 30 * time.Second

// command performs a command of the list.
func (p *program) command(c Command) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(p.ctx, commandPatience)
		defer cancel()
		var err error
		text := "done: " + c.Name + " " + console.ShortID(c.Session)
		switch c.Name {
		case "stop":
			_, err = p.client.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: c.Session})
		case "resume":
			_, err = p.client.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: c.Session})
		case "cancel":
			_, err = p.client.Agent.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: c.Session})
		case "rename":
			_, err = p.client.Agent.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: c.Session, Name: c.Argument})
		}
		if err != nil {
			text = c.Name + ": " + status.Convert(err).Message()
		}
		return did{text}
	}
}
