package actors

import (
	"context"
	"errors"
	"time"

	"betcode/actors/worktree"
	"betcode/messages"
)

// scanTime bounds a scan for repositories.
const scanTime = 20 * time.Second

// repository answers a request about registered repositories. Questions are answered on the caller's goroutine, changes by the
// actor of the repository.
func (s *System) repository(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if s.registry == nil {
		return nil, noWorktrees("use repositories")
	}
	if known, err := s.registry.Repeated("change repository", r); known != nil || err != nil {
		return known, err
	}
	var change messages.WorktreeRequest
	var err error
	switch m := r.(type) {
	case messages.ListRepositories:
		return s.listRepositories(m), nil
	case messages.GetRepository:
		return s.repos.View(m.Repo, s.registry)
	case messages.ScanRepositories:
		return s.scanRepositories(ctx, m)
	case messages.ListBranches:
		return s.listBranches(ctx, m)
	case messages.GetBranch:
		return s.getBranch(ctx, m)
	case messages.RegisterRepository:
		found, failed := s.git.Repository(ctx, m.Directory)
		m.Common, m.Main = found.Common, found.Main
		change, err = m, failed
	case messages.UpdateRepository:
		m.Repo, m.Common, _, err = s.repos.Find("change repository", m.Repo)
		change = m
	case messages.UnregisterRepository:
		if target, common, begun := s.registry.Begun(m.By); begun { // it may have been removed since
			m.Repo, m.Common = target, common
		} else {
			m.Repo, m.Common, _, err = s.repos.Find("unregister repository", m.Repo)
		}
		change = m
	case messages.CreateBranch:
		if err = worktree.CheckBranch("create branch", m.Name, m.Start); err == nil {
			m.Repo, m.Common, m.Main, err = s.repos.Find("create branch", m.Repo)
		}
		change = m
	case messages.DeleteBranch:
		if err = worktree.CheckBranch("delete branch", m.Name, ""); err == nil {
			m.Repo, m.Common, _, err = s.repos.Find("delete branch", m.Repo)
		}
		change = m
	}
	if err != nil {
		return nil, messages.AsError("change repository", err)
	}
	return s.changeWorktree(ctx, change)
}

func (s *System) listRepositories(m messages.ListRepositories) messages.RepositoryList {
	all := s.repos.Views(s.registry)
	list := messages.RepositoryList{Total: len(all)}
	all = all[min(max(m.Offset, 0), len(all)):]
	if m.Limit > 0 {
		all = all[:min(m.Limit, len(all))]
	}
	list.Repositories = all
	return list
}

func (s *System) listBranches(ctx context.Context, m messages.ListBranches) (messages.Reply, error) {
	_, common, _, err := s.repos.Find("list branches", m.Repo)
	if err != nil {
		return nil, err
	}
	found, err := worktree.Branches(ctx, s.git, common, m.Remote)
	if err != nil {
		return nil, messages.AsError("list branches", err)
	}
	return messages.BranchList{Branches: found}, nil
}

func (s *System) getBranch(ctx context.Context, m messages.GetBranch) (messages.Reply, error) {
	err := worktree.CheckBranch("show branch", m.Name, "")
	if err != nil {
		return nil, err
	}
	_, common, _, err := s.repos.Find("show branch", m.Repo)
	if err != nil {
		return nil, err
	}
	found, err := worktree.Branch(ctx, s.git, common, m.Name)
	if err != nil {
		return nil, messages.AsError("show branch", err)
	}
	return found, nil
}

// scanRepositories registers the repositories that a scan finds, except those that git refuses.
func (s *System) scanRepositories(ctx context.Context, m messages.ScanRepositories) (messages.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	found, more, err := worktree.Scan(ctx, m.Directory, m.Depth)
	if err != nil {
		return nil, err
	}
	list := messages.RepositoryList{}
	for _, dir := range found {
		var known *messages.Error
		answer, err := s.repository(ctx, messages.RegisterRepository{By: messages.By{Client: m.Client}, Directory: dir})
		if errors.As(err, &known) && known.Kind == messages.AlreadyExists {
			answer, err = s.repos.View(known.Details["repo_id"], s.registry)
		}
		if view, ok := answer.(messages.RepositoryView); ok && err == nil {
			list.Repositories = append(list.Repositories, view)
			continue
		}
		s.logOf("worktrees").Warn().Err(err).Str("path", dir).Msg("repository found by the scan is not registered")
	}
	if list.Total = len(list.Repositories); more {
		s.logOf("worktrees").Warn().Str("path", m.Directory).Int("found", list.Total).Msg("scan for repositories stopped at its limits")
	}
	return list, nil
}
