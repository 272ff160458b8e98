package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"betcode/actors/internal/git"
	"betcode/actors/internal/notes"
)

// mergeIntent is the intent of a merge while it moves its target, in a file <id>.merge.
type mergeIntent struct {
	ID    string    `json:"id"`
	Began time.Time `json:"began"`
	git.Merge
}

const mergeSuffix = ".merge"

// repositories returns the repositories that have worktrees, or had unfinished merges when the registry was opened.
func (r *Registry) repositories() []string {
	found := map[string]bool{}
	for _, rec := range r.all("") {
		found[rec.Common] = true
	}
	for _, common := range r.merging {
		found[common] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// intents returns the unfinished merges of a repository, or of all for an empty common.
func (r *Registry) intents(common string) ([]mergeIntent, error) {
	begun, err := load(r.dir, mergeSuffix, func(id string, m mergeIntent) error {
		if m.ID != id {
			return errors.New("it is not the intent of a merge")
		}
		return nil
	})
	var found []mergeIntent
	for _, id := range slices.Sorted(maps.Keys(begun)) {
		if m := begun[id]; common == "" || m.Common == common {
			found = append(found, m)
		}
	}
	return found, err
}

func (r *Registry) putIntent(m mergeIntent) error {
	content, err := json.Marshal(m)
	if err == nil {
		err = notes.Write(filepath.Join(r.dir, m.ID+mergeSuffix), content)
	}
	if err != nil {
		return fmt.Errorf("write intent of merge: %w", err)
	}
	return nil
}

func (r *Registry) dropIntent(id string) error {
	if err := os.Remove(filepath.Join(r.dir, id+mergeSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove intent of merge: %w", err)
	}
	return nil
}

// resumeMerges finishes or undoes the interrupted merges.
func (c *changes) resumeMerges(ctx context.Context, lock *git.Lock) error {
	begun, err := c.registry.intents(c.common)
	if err != nil {
		c.log.Warn().Err(err).Msg("intents of merges cannot be read")
	}
	for _, m := range begun {
		merged, err := c.git.ResumeMerge(ctx, lock, m.Merge, m.Began)
		var changed *git.ChangedError
		if err != nil && !errors.As(err, &changed) {
			return fmt.Errorf("resume merge into %s: %w", m.Into, err) // the intent stays
		}
		c.log.Info().Err(err).Str("into", m.Into).Bool("merged", merged).Msg("interrupted merge resumed")
		if err := c.registry.dropIntent(m.ID); err != nil {
			return err
		}
	}
	return nil
}
