package plan

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"betcode/messages/gitname"
)

// step checks a step, except its id and its dependencies.
func (c *checker) step(i int, s Step) {
	if problem := badText(s.Name, MaxName); problem != "" {
		c.add(i, "name", -1, "the name %s", problem)
	}
	c.branches(i, s)
	if s.Merge != nil {
		c.merge(i, s)
		return
	}
	switch {
	case strings.TrimSpace(s.Prompt) == "":
		c.add(i, "prompt", -1, "the prompt is empty")
	case len(s.Prompt) > MaxPrompt:
		c.add(i, "prompt", -1, "the prompt has %d bytes, at most %d are allowed", len(s.Prompt), MaxPrompt)
	case !utf8.ValidString(s.Prompt):
		c.add(i, "prompt", -1, "the prompt is not UTF-8")
	}
	if problem := badText(s.Model, MaxModel); problem != "" {
		c.add(i, "model", -1, "the model %s", problem)
	}
	if problem := badText(s.Worktree, MaxPath); problem != "" {
		c.add(i, "worktree", -1, "the worktree %s", problem)
	}
	c.directory(i, s.Directory)
	switch {
	case !slices.Contains([]Lease{"", Shared, Exclusive}, s.Lease):
		c.add(i, "lease", -1, "there is no lease %q; give shared or exclusive", clip(string(s.Lease)))
	case s.Lease != "" && s.Worktree == "" && s.Branch == "":
		c.add(i, "lease", -1, "a lease needs a worktree")
	}
	c.tools(i, s)
	c.bounds(i, s)
}

// branches checks the names of branches, and of the worktree that is created for one.
func (c *checker) branches(i int, s Step) {
	check := func(field string, item int, name string) {
		if problem := gitname.CheckBranch(name); name != "" && problem != nil {
			c.add(i, field, item, "%q is not the name of a branch: %v", clip(name), problem)
		}
	}
	check("branch", -1, s.Branch)
	if problem := gitname.CheckWorktree(s.WorktreeName()); s.Branch != "" && problem != nil {
		c.add(i, "worktree", -1, "%q is not the name of a worktree: %v", clip(s.WorktreeName()), problem)
	}
	if problem := badText(s.Base, MaxPath); problem != "" || strings.HasPrefix(s.Base, "-") {
		c.add(i, "base", -1, "%q is no commit, branch or tag", clip(s.Base))
	}
	if s.Base != "" && s.Branch == "" {
		c.add(i, "base", -1, "base is where a new branch begins: name the branch")
	}
	if s.Merge == nil {
		return
	}
	check("merge.into", -1, s.Merge.Into)
	if s.Merge.Into == "" {
		c.add(i, "merge.into", -1, "the merge does not say into which branch")
	}
	if len(s.Merge.Branches) > MaxBranches {
		c.add(i, "merge.branches", -1, "the merge has %d branches, at most %d are allowed", len(s.Merge.Branches), MaxBranches)
		return
	}
	for k, name := range s.Merge.Branches {
		check("merge.branches", k, name)
		if name == "" || name == s.Merge.Into {
			c.add(i, "merge.branches", k, "%q is not a branch to be merged into %s", clip(name), clip(s.Merge.Into))
		}
	}
}

// merge refuses fields that only a subagent may have.
func (c *checker) merge(i int, s Step) {
	own := Step{
		ID: s.ID, Name: s.Name, Directory: s.Directory, Worktree: s.Worktree, DependsOn: s.DependsOn, Attempts: s.Attempts, RetryDelay: s.RetryDelay, Merge: s.Merge,
	}
	if !reflect.DeepEqual(s, own) {
		c.add(i, "merge", -1, "a step that merges runs no agent: it has no prompt, branch, model, tools, limits or lease")
	}
	c.directory(i, s.Directory)
	c.bounds(i, own)
}

func (c *checker) directory(i int, dir string) {
	if problem := badText(dir, MaxPath); problem != "" {
		c.add(i, "directory", -1, "the directory %s", problem)
	} else if dir != "" && !filepath.IsAbs(dir) {
		c.add(i, "directory", -1, "the directory %q is not an absolute path", clip(dir))
	}
}

func (c *checker) tools(i int, s Step) {
	if len(s.Tools) > MaxTools {
		c.add(i, "tools", -1, "the step has %d tools, at most %d are allowed", len(s.Tools), MaxTools)
		return
	}
	for k, tool := range s.Tools {
		if problem := badText(tool, MaxTool); problem != "" || strings.TrimSpace(tool) == "" {
			c.add(i, "tools", k, "tool %q is not the name of a tool", clip(tool))
		}
	}
	if s.AutoApprove != nil && len(s.Tools) == 0 {
		c.add(i, "auto_approve", -1, "auto_approve needs tools: name those that need no person")
	}
}

func (c *checker) bounds(i int, s Step) {
	within := func(field string, value, most int) {
		if value < 0 || value > most {
			c.add(i, field, -1, "%s is %d; give 1 to %d, or leave it out", field, value, most)
		}
	}
	during := func(field string, value, most time.Duration) {
		if value < 0 || value > most || value%time.Second != 0 {
			c.add(i, field, -1, "%s is %s; give whole seconds, at most %s, or leave it out", field, value, most)
		}
	}
	within("max_turns", s.MaxTurns, MaxTurnsLimit)
	within("attempts", s.Attempts, MaxAttempts)
	during("retry_delay", s.RetryDelay, MaxRetryDelay)
	during("timeout", s.Timeout, MaxTimeout)
	if s.BudgetUSD < 0 || math.IsNaN(s.BudgetUSD) || math.IsInf(s.BudgetUSD, 0) {
		c.add(i, "budget_usd", -1, "budget_usd is not an amount of money")
	}
	c.budget(i, s.Budget)
	if a := s.AutoApprove; a != nil {
		during("auto_approve.duration", a.Duration, MaxApproved)
		within("auto_approve.per_minute", a.PerMinute, MaxPerMinute)
	}
}

func (c *checker) budget(i int, b Budget) {
	if b.Micros > MaxMicros || b.Tokens > MaxTokens || b.Work < 0 || b.Work > MaxWork {
		c.add(i, "budget", -1, "the budget is too large; give at most 1000000 US dollars, 10^12 tokens and 365 days")
	}
}

func (c *checker) dependencies(i int, s Step, first map[string]int) {
	if len(s.DependsOn) > 0 && c.plan.Order() != DAG {
		c.add(i, "depends_on", -1, "depends_on needs the strategy dag; this plan is %s", clip(string(c.plan.Strategy)))
		return
	}
	seen := make(map[string]bool, len(s.DependsOn))
	for k, id := range s.DependsOn {
		switch _, known := first[id]; {
		case !known:
			c.add(i, "depends_on", k, "there is no step %q", clip(id))
		case seen[id]:
			c.add(i, "depends_on", k, "the step %q is named twice", id)
		}
		seen[id] = true
	}
}
