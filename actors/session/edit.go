package session

import (
	"betcode/messages"
)

// keptEdit returns the input that an answer which is kept for this call gives it; nil if
// there is none.
func (t *transition) keptEdit(p messages.PermissionRecord) []byte {
	if old, again := t.keptFor(p); again && old.Decision == messages.AllowWithEdit {
		return old.Updated
	}
	return nil
}

// dropEdit gives up a kept answer whose edited input must not run any more: rules, links or
// files are other ones since. The call is asked about again.
func (t *transition) dropEdit(p messages.PermissionRecord, why string) {
	old, again := t.keptFor(p)
	if !again || old.Decision != messages.AllowWithEdit {
		return
	}
	t.permissionNotice("PERMISSION_EDIT_DROPPED", "The kept answer is not used: "+why, old)
	t.withdraw(old.Request, byRule)
}
