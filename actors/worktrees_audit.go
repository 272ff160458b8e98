package actors

import (
	"strconv"

	"betcode/messages"
)

// worktreeEntry returns the audit entry of a change of a repository; false if the change is not audited. It is made before the
// change, which may remove the worktree.
func (s *System) worktreeEntry(r messages.WorktreeRequest) (messages.AuditEntry, bool) {
	e := messages.AuditEntry{ActorType: messages.ActorUser, Outcome: messages.OutcomeSuccess, Context: map[string]string{"repository": r.Repository()}}
	by := func(t messages.AuditType, b messages.By, context ...string) {
		if e.Type, e.ActorID = t, string(b.Client); b.Client == "" {
			e.ActorType = messages.ActorDaemon // the change is for a plan or a session, not for a client
		}
		for n := 0; n+1 < len(context); n += 2 {
			if context[n+1] != "" {
				e.Context[context[n]] = context[n+1]
			}
		}
	}
	switch m := r.(type) {
	case messages.CreateWorktree:
		if path, _ := s.registry.Place(m.Key); path != "" {
			return e, false // a repetition: the first request was audited
		}
		by(messages.AuditWorktreeCreated, m.By, "branch", m.Branch, "new_branch", strconv.FormatBool(m.CreateBranch))
	case messages.RemoveWorktree:
		path, branch := s.registry.Place(m.Worktree)
		by(messages.AuditWorktreeRemoved, m.By, "worktree_id", m.Worktree, "path", path, "branch", branch, "force", strconv.FormatBool(m.Force))
	case messages.SwitchWorktree:
		by(messages.AuditWorktreeSwitched, m.By, "worktree_id", m.Worktree)
	case messages.SetupWorktree:
		by(messages.AuditWorktreeSetUp, m.By)
	case messages.RegisterRepository:
		by(messages.AuditRepositoryRegistered, m.By, "path", m.Main)
	case messages.UpdateRepository:
		by(messages.AuditRepositoryUpdated, m.By, "repo_id", m.Repo)
	case messages.UnregisterRepository:
		by(messages.AuditRepositoryUnregistered, m.By, "repo_id", m.Repo, "worktrees", strconv.FormatBool(m.Worktrees))
	case messages.CreateBranch:
		by(messages.AuditBranchCreated, m.By, "repo_id", m.Repo, "branch", m.Name)
	case messages.DeleteBranch:
		by(messages.AuditBranchDeleted, m.By, "repo_id", m.Repo, "branch", m.Name, "force", strconv.FormatBool(m.Force))
	default:
		return e, false
	}
	return e, true
}
