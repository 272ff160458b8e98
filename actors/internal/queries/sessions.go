package queries

import (
	"math"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/paths"
	"betcode/messages"
)

// defaultLimit is how many sessions are listed when the request has no limit.
const defaultLimit = 100

// listSessions lists a page of sessions, and at the end those that cannot be loaded.
func (q *Queries) listSessions(m messages.ListSessions) (messages.Reply, error) {
	limit := m.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	slots := q.deps.Slots()
	list := messages.SessionList{Slots: slots}
	var err error
	if m.Resting != nil {
		limit, m.Offset = math.MaxInt, 0
		err = q.busy(&list, m)
	} else {
		list, err = q.deps.Store.Conversations(m.WorkingDirectory, m.WorktreeID, limit, m.Offset, m.Known)
		list.Slots = slots
	}
	if err != nil {
		return result(nil, err)
	}
	damaged, err := q.deps.Store.Damaged()
	if err != nil {
		return nil, messages.AsError("list sessions", err)
	}
	for _, d := range damaged {
		if m.WorkingDirectory != "" && d.Record.WorkingDirectory != m.WorkingDirectory || m.WorktreeID != "" && d.Record.WorktreeID != m.WorktreeID {
			continue
		}
		if list.Total++; list.Total > m.Offset && len(list.Sessions)+len(list.Known) < limit {
			list.Sessions = append(list.Sessions, d.Record)
		}
	}
	return list, nil
}

// busy fills a list with the sessions that have work, and the newest others.
func (q *Queries) busy(list *messages.SessionList, m messages.ListSessions) error {
	pending, err := q.deps.Store.Pending("")
	if err != nil {
		return err
	}
	wanted := map[messages.SessionID]bool{}
	for _, p := range pending {
		if p.Decision == messages.Undecided {
			wanted[p.Session] = true
		}
	}
	for _, w := range list.Slots.Waiting {
		wanted[w.Session] = true
	}
	resting := *m.Resting
	list.Sessions, err = q.deps.Store.Select(m.WorkingDirectory, m.WorktreeID, func(id messages.SessionID, rest messages.Rest) bool {
		switch {
		case rest == messages.Busy || wanted[id]:
			return true
		case resting > 0:
			resting--
			return true
		case rest == messages.RestStopped:
			list.Omitted.Stopped++
		default:
			list.Omitted.Idle++
		}
		return false
	})
	list.Total = len(list.Sessions) + list.Omitted.Idle + list.Omitted.Stopped
	return err
}

// listSubagents lists the sessions that are subagents.
func (q *Queries) listSubagents(m messages.ListSubagents) (messages.Reply, error) {
	all, err := q.deps.Store.Subagents(m.Parent)
	if err != nil {
		return result(nil, err)
	}
	all = slices.DeleteFunc(all, func(r messages.SessionRecord) bool {
		return r.Subagent == nil || m.Status != messages.SubagentAny && r.Subagent.Status != m.Status || m.Orchestration != "" && r.Subagent.Step.Orchestration != m.Orchestration
	})
	return messages.SubagentList{Subagents: all}, nil
}

// listPermissions lists the requests that wait for a decision. Those of a session include requests that are forwarded to it.
func (q *Queries) listPermissions(m messages.ListPermissions) (messages.Reply, error) {
	pending, err := q.deps.Store.Pending(m.Session)
	if err == nil && m.Session != "" {
		pending, err = q.withForwarded(m.Session, pending)
	}
	if err != nil {
		return result(nil, err)
	}
	open := make([]messages.PermissionRecord, 0, len(pending))
	for _, p := range pending {
		if p.Decision == messages.Undecided {
			open = append(open, p)
		}
	}
	return messages.PermissionList{Permissions: open}, nil
}

// readHistory reads the next page, and skips damage.
func (q *Queries) readHistory(m messages.ReadHistory) (messages.Reply, error) {
	events, gap, err := q.deps.Store.Salvaged(m.Session, m.After, 0, 0)
	return result(messages.HistoryPage{Events: events, Gap: gap}, err)
}

// subagents lists the running subagents. They are part of the translator's state, which every batch of output stores.
func (q *Queries) subagents(m messages.GetSubagents) (messages.Reply, error) {
	const op = "get subagents"
	loaded, err := q.deps.Store.Load(m.Session)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if loaded.Run == nil || loaded.Run.State == messages.RunFinished {
		return messages.Subagents{}, nil
	}
	state, err := claude.ParseState(loaded.Cursor.Translator)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	return messages.Subagents{Subagents: state.Subagents()}, nil
}

// completePath lists the paths of a session's working directory that begin with a text. The directory of an agent under a proxy is
// on another machine. A directory here may have the same name, which the proxy chooses.
func (q *Queries) completePath(m messages.ListPath) (messages.Reply, error) {
	loaded, err := q.load("list path", m.Session)
	if err != nil {
		return nil, err
	}
	if loaded.Record.Proxy != nil {
		return messages.PathList{}, nil
	}
	list, err := paths.Complete(loaded.Record.WorkingDirectory, m.Query, m.Limit)
	if err != nil {
		return nil, err
	}
	return list, nil
}
