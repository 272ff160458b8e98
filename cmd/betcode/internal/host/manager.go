package host

import (
	"context"
	"net"
	"os"
	"time"

	manager "github.com/coreos/go-systemd/v22/daemon"

	"betcode/messages"
)

// A process manager that gave the daemon a socket (NOTIFY_SOCKET) gets the messages of sd_notify: READY=1 when clients
// are served, STOPPING=1 at the shutdown, and WATCHDOG=1 as long as the tree of actors answers. A manager that reads none
// of them delays neither the shutdown nor the start by more than notifyWithin.

// notifyWithin bounds one notification of the process manager: its queue of messages may be full.
const notifyWithin = 3 * time.Second

// reportToManager reports that the daemon is ready and begins to feed the watchdog. The function that it returns reports
// the shutdown.
func (d *daemon) reportToManager() func() {
	d.notifyManager(manager.SdNotifyReady, notifyWithin)
	within, err := manager.SdWatchdogEnabled(false)
	if err != nil {
		d.log.Warn().Err(err).Msg("watchdog is not fed: WATCHDOG_USEC or WATCHDOG_PID cannot be read")
	}
	leave := func() { d.notifyManager(manager.SdNotifyStopping, notifyWithin) }
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
			d.notifyManager(manager.SdNotifyWatchdog, min(every, notifyWithin))
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

func (d *daemon) notifyManager(state string, within time.Duration) {
	if err := notify(os.Getenv("NOTIFY_SOCKET"), state, within); err != nil {
		d.log.Warn().Err(err).Str("state", state).Msg("process manager was not notified")
	}
}

// notify sends one message to the socket of a process manager, if there is one.
func notify(socket, message string, within time.Duration) error {
	if socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(message))
	return err
}
