package main

import (
	"context"
	"time"

	"betcode/actors"
	"betcode/messages"
)

// settingsSettle is how long a file that has just changed is given: it may be half written.
const settingsSettle = 200 * time.Millisecond

// explainPermission reads the settings again before the rules in them are asked: whoever has
// just changed a file is not told what held before. Settings that cannot be read are named
// in the answer, which is then about those of before.
func (d door) explainPermission(ctx context.Context, m messages.ExplainPermission) (messages.Reply, error) {
	if d.daemon.settingsChanged() {
		select {
		case <-time.After(settingsSettle):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		d.daemon.reload(false, actors.RulesOrigin{How: "a settings file changed"})
	}
	reply, err := d.System.Ask(ctx, m)
	explained, ok := reply.(messages.PermissionExplained)
	if !ok {
		return reply, err
	}
	if text := d.daemon.unreadSettings(); text != "" {
		explained.Problems = append(explained.Problems, "settings cannot be read, those of before hold: "+text)
	}
	return explained, err
}

// settingsChanged reports whether the files say something else than what was read, or cannot
// be read now, or could not be the last time.
func (d *daemon) settingsChanged() bool {
	next, err := d.settings.load()
	return err != nil || d.unreadSettings() != "" || !next.Same(d.settings.get())
}

// unreadSettings says why the settings of before hold, empty if those in the files do.
func (d *daemon) unreadSettings() string {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	return d.settingsError
}
