package offline

import (
	"context"
	"fmt"
	"io"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/persistence"
)

const repairSchema = "betcode.journal.repair/v1"

// Repaired is the result of a repair, or of a dry run.
type Repaired struct{ persistence.Repaired }

// Repair reports what the damaged journal of a state directory lost and, if apply, makes it one that opens. The journal
// as it was is kept beside it.
func Repair(ctx context.Context, state string, apply bool) (Repaired, error) {
	release, err := statedir.TryLock("repair journal", state)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	done, err := persistence.Repair(ctx, persistence.RepairOptions{
		Directory: statedir.Journal(state), Plans: statedir.Orchestrations(state), Apply: apply,
	})
	return Repaired{done}, err
}

// applied reports whether anything was changed.
func (done Repaired) applied() bool { return done.Aside != "" || done.AsidePlans != "" }

// Done reports whether nothing is left to be repaired.
func (done Repaired) Done() bool { return !done.Due() || done.applied() }

// JSON returns the result for programs: "betcode.journal.repair/v1".
func (done Repaired) JSON() map[string]any {
	lost, findings := []any{}, []any{}
	for _, l := range done.Lost.Sessions {
		ranges := []any{}
		for _, r := range l.Ranges {
			ranges = append(ranges, map[string]any{"from": r.From, "to": r.To})
		}
		one := map[string]any{"session_id": l.Session, "events": ranges}
		if !l.After.IsZero() {
			one["written_after"] = l.After.UTC()
		}
		if !l.Before.IsZero() {
			one["written_before"] = l.Before.UTC()
		}
		lost = append(lost, one)
	}
	for _, f := range done.Findings {
		findings = append(findings, map[string]any{"file": f.File, "offset": f.Offset, "problem": f.Problem, "outcome": f.Outcome})
	}
	return map[string]any{
		"schema": repairSchema, "directory": done.Directory, "needed": done.Due(), "repaired": done.applied(), "sessions": done.Sessions,
		"findings": findings, "lost": lost, "unread_bytes": done.Lost.Unread, "kept_in": done.Aside,
		"damaged_orchestrations": done.Plans, "orchestrations_kept_in": done.AsidePlans,
	}
}

// Write writes the result for a person.
func (done Repaired) Write(w io.Writer) {
	for _, f := range done.Findings {
		fmt.Fprintln(w, "Damaged:", console.Line(f.String()))
	}
	for _, l := range done.Lost.Sessions {
		fmt.Fprintln(w, "Lost:", console.Line(l.String()))
	}
	if done.Lost.Unread > 0 {
		fmt.Fprintf(w, "Lost: %s that cannot be read; sessions without later events may have lost their newest ones too\n",
			console.Count(done.Lost.Unread, "byte"))
	}
	switch {
	case !done.Due():
		fmt.Fprintf(w, "The journal opens as it is: %s\n", console.Count(done.Sessions, "session"))
	case !done.applied():
		if done.Needed && len(done.Lost.Sessions) == 0 && done.Lost.Unread == 0 {
			fmt.Fprintln(w, "Nothing would be lost.")
		}
		fmt.Fprintf(w, "Nothing was changed. Repair the journal with 'betcode journal repair --yes': it would have %s\n", console.Count(done.Sessions, "session"))
	}
	if done.Aside != "" {
		fmt.Fprintf(w, "Repaired: %s. The journal as it was is in %s\n", console.Count(done.Sessions, "session"), console.Line(done.Aside))
	}
	if done.AsidePlans != "" {
		fmt.Fprintf(w, "Repaired: %s. Their journals as they were are in %s\n", console.Count(done.Plans, "orchestration"), console.Line(done.AsidePlans))
	}
}
