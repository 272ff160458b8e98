package host

import (
	"context"

	"betcode/actors"
	"betcode/grpcapi"
	"betcode/messages"
)

// asker implements grpcapi.Asker: it answers questions about settings and this process, and passes others to the actors.
type asker struct {
	*actors.System
	daemon *daemon
}

// Ask implements grpcapi.Asker.
func (a asker) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.GetSettings:
		return a.daemon.getSettings(m)
	case messages.UpdateSettings:
		return a.daemon.updateSettings(m)
	case messages.ExplainPermission:
		return a.explainPermission(ctx, m)
	case messages.GetStartup:
		return a.daemon.getStartup(), nil
	}
	return a.System.Ask(ctx, r)
}

// Attach implements grpcapi.Asker.
func (a asker) Attach(ctx context.Context, attach messages.Attach) (grpcapi.Stream, messages.Attached, error) {
	follower, attached, err := a.System.Attach(ctx, attach)
	if err != nil {
		return nil, messages.Attached{}, err
	}
	return follower, attached, nil
}
