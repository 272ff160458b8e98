package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"betcode/actors/internal/hook"
	"betcode/actors/settings"
)

// patience bounds a delivery.
const patience = 10 * time.Second

// Channel is a means to reach a person.
type Channel string

// The channels.
const (
	Exec    Channel = "exec"    // the user's program
	Webhook Channel = "webhook" // an HTTP server that gets the notice as JSON
	Ntfy    Channel = "ntfy"    // a topic of an ntfy server
)

// Channels returns the channels in the settings.
func Channels(s *settings.Settings) []Channel {
	var all []Channel
	if len(s.NotifyExec) > 0 {
		all = append(all, Exec)
	}
	if s.NotifyWebhook != "" {
		all = append(all, Webhook)
	}
	if s.NotifyNtfy != "" {
		all = append(all, Ntfy)
	}
	return all
}

// Notifier delivers notices.
type Notifier struct {
	environment []string // what the program inherits, as "NAME=value": no secrets
	client      *http.Client
}

// New returns a notifier.
func New(environment []string) *Notifier {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.IdleConnTimeout = 2, 30*time.Second
	return &Notifier{environment, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (n *Notifier) Close() { n.client.CloseIdleConnections() }

// Deliver delivers a notice over a channel, according to the settings. The key is the same for each attempt.
func (n *Notifier) Deliver(ctx context.Context, s *settings.Settings, over Channel, notice Notice, key string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	notice = notice.shown()
	var err error
	switch over {
	case Exec:
		err = n.exec(ctx, s.NotifyExec, notice)
	case Webhook:
		err = n.webhook(ctx, s, notice, key)
	case Ntfy:
		err = n.ntfy(ctx, s, notice)
	}
	if err != nil {
		return fmt.Errorf("notify by %s: %w", over, err)
	}
	return nil
}

// exec runs the user's program.
func (n *Notifier) exec(ctx context.Context, program []string, notice Notice) error {
	if len(program) == 0 {
		return nil // the setting was removed
	}
	input, err := json.Marshal(notice)
	if err != nil {
		return err
	}
	return hook.Run(ctx, program, append(slices.Clone(n.environment), notice.environ()...), append(input, '\n'))
}
