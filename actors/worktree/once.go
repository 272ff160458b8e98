package worktree

import (
	"context"
	"errors"

	"betcode/actors/internal/git"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// Again is the answer of a request that was carried out before under its key. Nothing was changed.
type Again struct{ messages.Reply }

// once carries out a change, unless it was carried out before under its key. It finishes a change that an earlier daemon began.
func (c *changes) once(ctx context.Context, lock *git.Lock, m messages.WorktreeRequest) (messages.Reply, error) {
	by := messages.By{}
	if k, ok := m.(keyed); ok {
		by = k.Caller()
	}
	if _, own := m.(messages.CreateWorktree); own || by.Key == "" { // the record of a worktree is the result of its creation
		return c.carryOut(ctx, lock, m, nil)
	}
	e, known, answer, err := c.registry.repeated(opChange, by)
	switch {
	case err != nil:
		return nil, err
	case answer != nil:
		return Again{answer}, nil
	case !known:
		e = request{Key: by.Key, Digest: by.Digest, Common: c.common, Target: targetOf(m), Began: c.deps.Now()}
		if err := c.registry.ledger.put(e); err != nil {
			return nil, err
		}
	}
	answer, err = c.carryOut(ctx, lock, m, &e)
	if errors.Is(err, errDied) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, c.registry.ledger.drop(e.Key)) // errors are not stored
	}
	if e.Answer, err = requests.Encode(answer); err == nil {
		err = c.at(stepAnswer)
	}
	if errors.Is(err, errDied) {
		return nil, err
	}
	if err == nil {
		err = c.registry.ledger.put(e)
	}
	if err != nil { // a repeated request finds out how far the change came
		c.log.Warn().Err(err).Str("key", e.Key).Msg("answer of a change not written")
	}
	return answer, nil
}

// targetOf returns the id of the worktree or repository that a change names.
func targetOf(m messages.WorktreeRequest) string {
	switch m := m.(type) {
	case messages.RemoveWorktree:
		return m.Worktree
	case messages.SwitchWorktree:
		return m.Worktree
	case messages.SetupWorktree:
		return m.Worktree
	case messages.UpdateRepository:
		return m.Repo
	case messages.UnregisterRepository:
		return m.Repo
	case messages.CreateBranch:
		return m.Repo
	case messages.DeleteBranch:
		return m.Repo
	}
	return ""
}

// prepare writes the answer of a change before the change has an effect. e is nil for a request without a key.
func (c *changes) prepare(e *request, answer messages.Reply) error {
	if e == nil {
		return nil
	}
	text, err := requests.Encode(answer)
	if err != nil {
		return err
	}
	e.Prepared = text
	return c.registry.ledger.put(*e)
}
