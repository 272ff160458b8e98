package persistence

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/upkeep"
	"betcode/persistence/planlog"
)

// PlanLoss is an orchestration beside the replaced journal that has more events
// than in the backup.
type PlanLoss struct {
	Orchestration messages.OrchestrationID
	Name          string
	Updated       time.Time // time of its last change
	Head          uint64    // number of its last event
	Kept          uint64    // number of its last event in the backup
	Whole         bool      // it is not in the backup at all
	Damaged       bool      // its journal is damaged: there may have been more events
}

// Events returns how many of its events are newer than the backup.
func (l PlanLoss) Events() uint64 { return l.Head - l.Kept }

// readPlans records the orchestrations that are to be replaced.
func (r *restorer) readPlans(ctx context.Context) (err error) {
	if r.o.PlansDirectory == "" {
		return nil
	}
	if r.plans, err = planlog.Survey(ctx, r.o.PlansDirectory); err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	return nil
}

// comparePlans records the content of the replaced orchestrations that the backup
// lacks.
func (r *restorer) comparePlans(ctx context.Context) error {
	kept, err := planlog.Survey(ctx, filepath.Join(r.o.Backup, planlog.DirectoryName))
	if err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	for _, p := range r.plans {
		l := PlanLoss{
			Orchestration: p.Header.ID, Name: p.Header.Plan.Name, Updated: p.Last, Head: p.Head, Whole: true, Damaged: p.Damage != nil,
		}
		if at := slices.IndexFunc(kept, func(k planlog.Checked) bool { return k.File == p.File }); at >= 0 {
			l.Kept, l.Whole = min(kept[at].Head, p.Head), false
		}
		if l.Whole || l.Head > l.Kept {
			r.done.LostPlans = append(r.done.LostPlans, l)
		}
	}
	slices.SortFunc(r.done.LostPlans, func(a, b PlanLoss) int { return b.Updated.Compare(a.Updated) })
	return nil
}

// copyPlans copies the journals of orchestrations from the backup, under another
// name. A backup of an older build has none.
func (r *restorer) copyPlans(ctx context.Context) error {
	if r.o.PlansDirectory == "" {
		return nil
	}
	unfinished := r.o.PlansDirectory + upkeep.Halfway
	if err := os.RemoveAll(unfinished); err != nil { // of an interrupted restore: the journal has a mark of its own
		return fault.Storage(fault.OpRestore, err)
	}
	files, size, err := planlog.Take(ctx, filepath.Join(r.o.Backup, planlog.DirectoryName), unfinished, r.now)
	if err != nil {
		os.RemoveAll(unfinished)
		return fault.Storage(fault.OpRestore, err)
	}
	r.done.Plans, r.done.Files, r.done.Bytes = files, r.done.Files+files, r.done.Bytes+size
	return nil
}
