package host

import (
	"context"
	"time"

	manager "github.com/coreos/go-systemd/v22/daemon"

	"betcode/messages"
)

// A process manager that gave the daemon a socket (NOTIFY_SOCKET) gets the messages of sd_notify: READY=1 when clients
// are served, STOPPING=1 at the shutdown, and WATCHDOG=1 as long as the tree of actors answers.

// reportToManager reports that the daemon is ready and begins to feed the watchdog. The function that it returns reports
// the shutdown.
func (d *daemon) reportToManager() func() {
	d.notifyManager(manager.SdNotifyReady)
	within, err := manager.SdWatchdogEnabled(false)
	if err != nil {
		d.log.Warn().Err(err).Msg("watchdog is not fed: WATCHDOG_USEC or WATCHDOG_PID cannot be read")
	}
	leave := func() { d.notifyManager(manager.SdNotifyStopping) }
	if within <= 0 {
		return leave
	}
	d.log.Info().Dur("within", within).Msg("watchdog is fed")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.feedWatchdog(ctx, within/2)
	}()
	return func() { leave(); cancel(); <-done }
}

// feedWatchdog reports at each interval that the daemon lives, if the actors answer. Their health does not matter: a
// failed journal is opened again by its actor, and a new process would have the same disk.
func (d *daemon) feedWatchdog(ctx context.Context, every time.Duration) {
	system := d.system
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, every)
		_, err := system.Ask(asking, messages.GetHealth{})
		cancel()
		if err == nil {
			d.notifyManager(manager.SdNotifyWatchdog)
		} else if ctx.Err() == nil {
			d.log.Error().Err(err).Msg("watchdog is not fed: the actors do not answer")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *daemon) notifyManager(state string) {
	if _, err := manager.SdNotify(false, state); err != nil {
		d.log.Warn().Err(err).Str("state", state).Msg("process manager was not notified")
	}
}
