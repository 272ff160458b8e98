package main

import (
	"context"
	"time"

	manager "github.com/coreos/go-systemd/v22/daemon"

	"betcode/messages"
)

// A process manager that started the daemon is told how it is, the way systemd
// wants to be told (sd_notify): READY=1 when clients are served, STOPPING=1 when no
// longer, and WATCHDOG=1 as long as the tree of actors answers. Where nobody gave a
// socket for that (NOTIFY_SOCKET), nobody is told.

// reportToManager says that the daemon is ready and begins to feed the watchdog. The
// function that it returns says that it ends.
func (d *daemon) reportToManager() func() {
	d.tellManager(manager.SdNotifyReady)
	within, err := manager.SdWatchdogEnabled(false)
	if err != nil {
		d.log.Warn().Err(err).Msg("no watchdog is fed: its environment is not understood")
	}
	leave := func() { d.tellManager(manager.SdNotifyStopping) }
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

// feedWatchdog says that the daemon lives, as often as every, while the actors
// answer. How well they are is not asked: a journal that cannot be written is opened
// again by itself, and another process would have the same disk.
func (d *daemon) feedWatchdog(ctx context.Context, every time.Duration) {
	system := d.system
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, every)
		_, err := system.Ask(asking, messages.GetHealth{})
		cancel()
		if err == nil {
			d.tellManager(manager.SdNotifyWatchdog)
		} else if ctx.Err() == nil {
			d.log.Error().Err(err).Msg("the actors do not answer: the watchdog is not fed")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *daemon) tellManager(state string) {
	if _, err := manager.SdNotify(false, state); err != nil {
		d.log.Warn().Err(err).Str("state", state).Msg("process manager was not told")
	}
}
