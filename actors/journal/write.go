package journal

import (
	"betcode/messages"

	"betcode/actors/internal/act"
)

// Unloadable answers [messages.LoadSession] of a session whose records are damaged.
type Unloadable struct{ messages.DamagedSession }

// writeAll carries out a group in order. Appends that follow one another share a transaction; a load sees everything before it.
func writeAll(store Store, work []request) (done groupDone) {
	done.replies = make([]act.Reply, 0, len(work))
	for len(work) > 0 {
		if work[0].append == nil {
			loaded := load(store, work[0].load)
			if e, ok := loaded.(*messages.Error); ok && e.Kind == messages.Unavailable {
				done.failure = e
			}
			done.replies = append(done.replies, act.Reply{To: work[0].from, With: loaded})
			work = work[1:]
			continue
		}
		var group []messages.Append
		for len(group) < len(work) && work[len(group)].append != nil {
			group = append(group, *work[len(group)].append)
		}
		for i, err := range store.Commit(group) {
			done.replies = append(done.replies, act.Reply{To: work[i].from, With: outcome(group[i], err)})
			done.wrote = done.wrote || err == nil
			if messages.KindOf(err) == messages.Unavailable && err != nil {
				done.failure = err
			}
		}
		work = work[len(group):]
	}
	return done
}

func load(store Store, id messages.SessionID) any {
	loaded, err := store.Load(id)
	if err == nil {
		return loaded
	}
	if messages.KindOf(err) == messages.DataLoss {
		if d, found, err := store.Salvage(id); err == nil && found {
			return Unloadable{d}
		}
	}
	return messages.AsError("load session", err)
}

func outcome(a messages.Append, err error) any {
	if err == nil {
		return messages.Committed{Session: a.Session, Commit: a.Commit}
	}
	return messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: messages.AsError("append", err)}
}
