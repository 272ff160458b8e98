package host

import (
	"context"
	"time"

	"betcode/actors"
	"betcode/messages"
)

// settingsSettle is how long a reload waits after a change, because the file may be half written.
const settingsSettle = 200 * time.Millisecond

// explainPermission reads changed settings first: after an edit of a rule the answer is about the new rule. If the
// settings cannot be read, the answer is about the former ones and has the error.
func (a asker) explainPermission(ctx context.Context, m messages.ExplainPermission) (messages.Reply, error) {
	if a.daemon.settingsChanged() {
		select {
		case <-time.After(settingsSettle):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		a.daemon.reload(false, actors.RulesOrigin{How: "a settings file changed"})
	}
	reply, err := a.System.Ask(ctx, m)
	explained, ok := reply.(messages.PermissionExplained)
	if !ok {
		return reply, err
	}
	if text := a.daemon.unreadSettings(); text != "" {
		explained.Problems = append(explained.Problems, "settings cannot be read, the former ones stay in force: "+text)
	}
	return explained, err
}

// settingsChanged reports whether the files differ from the settings in force, cannot be read, or could not be read by
// the last reload.
func (d *daemon) settingsChanged() bool {
	next, err := d.settings.load()
	return err != nil || d.unreadSettings() != "" || !next.Same(d.settings.get())
}

// unreadSettings returns why the last reload failed; empty if it did not.
func (d *daemon) unreadSettings() string {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	return d.settingsError
}
