package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of a plan.
const (
	MaxSteps        = 1000
	MaxPrompt       = 256 << 10 // bytes of one step
	MaxPrompts      = 4 << 20   // bytes of all steps
	MaxName         = 100       // bytes
	MaxID           = 64        // bytes
	MaxModel        = 200       // bytes
	MaxPath         = 4096      // bytes
	MaxTools        = 200       // of one step
	MaxTool         = 1000      // bytes
	MaxDependencies = 20000     // of all steps
	MaxAttempts     = 10
	MaxRetryDelay   = time.Hour
	MaxTimeout      = 7 * 24 * time.Hour
	MaxApproved     = 24 * time.Hour
	MaxPerMinute    = 600
	MaxTurnsLimit   = 10000
	MaxMicros       = 1_000_000 * 1_000_000 // a million US dollars
	MaxTokens       = 1_000_000_000_000
	MaxWork         = 365 * 24 * time.Hour
	MaxBranches     = 100 // of one merge
	MaxProblems     = 20  // reported problems; further ones are dropped
)

// Problem is one reason to refuse a plan.
type Problem struct {
	Step  int    // index of the step; -1 = the plan itself
	Field string // as in the JSON form; may be empty
	Item  int    // index within the field; -1 = the field itself
	Text  string
	Cycle []string // ids, if the problem is a cycle: each step depends on the next, and the last id equals the first
}

// checker collects problems.
type checker struct {
	plan     Plan
	problems []Problem
}

func (c *checker) add(step int, field string, item int, format string, args ...any) {
	if len(c.problems) < MaxProblems {
		c.problems = append(c.problems, Problem{Step: step, Field: field, Item: item, Text: fmt.Sprintf(format, args...)})
	}
}

// Check returns the problems of a plan in the order of its steps, a cycle last; none if it may start.
func (p Plan) Check() []Problem {
	c := &checker{plan: p}
	c.header()
	total, edges := 0, 0
	first := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if i >= MaxSteps {
			break
		}
		total += len(s.Prompt)
		edges += len(s.DependsOn)
		c.id(i, s.ID, first)
		c.step(i, s)
	}
	if total > MaxPrompts {
		c.add(-1, "steps", -1, "the prompts have %d bytes together, at most %d are allowed", total, MaxPrompts)
	}
	if edges > MaxDependencies {
		c.add(-1, "steps", -1, "the steps have %d dependencies together, at most %d are allowed", edges, MaxDependencies)
		return c.problems
	}
	for i, s := range p.Steps[:min(len(p.Steps), MaxSteps)] {
		c.dependencies(i, s, first)
	}
	if len(c.problems) > 0 {
		return c.problems
	}
	if cycle := p.cycle(); cycle != nil {
		c.add(first[cycle[0]], "depends_on", -1, "the steps depend on each other in a cycle: %s", strings.Join(cycle, " → "))
		c.problems[len(c.problems)-1].Cycle = cycle
		return c.problems
	}
	c.sources()
	return c.problems
}

func (c *checker) header() {
	p := c.plan
	if problem := badText(p.Name, MaxName); problem != "" {
		c.add(-1, "name", -1, "the name %s", problem)
	}
	if !slices.Contains([]Strategy{"", DAG, Parallel, Sequential}, p.Strategy) {
		c.add(-1, "strategy", -1, "there is no strategy %q; give dag, parallel or sequential", clip(string(p.Strategy)))
	}
	if !slices.Contains([]OnFailure{"", FailDependants, Continue, StopAll}, p.OnFailure) {
		c.add(-1, "on_failure", -1, "there is no policy %q; give fail_dependants, continue or stop_all", clip(string(p.OnFailure)))
	}
	if p.MaxParallel < 0 || p.MaxParallel > MaxSteps {
		c.add(-1, "max_parallel", -1, "max_parallel is %d; give 1 to %d, or leave it out", p.MaxParallel, MaxSteps)
	}
	c.budget(-1, p.Budget)
	switch n := len(p.Steps); {
	case n == 0:
		c.add(-1, "steps", -1, "the plan has no steps")
	case n > MaxSteps:
		c.add(-1, "steps", -1, "the plan has %d steps, at most %d are allowed", n, MaxSteps)
	}
}

func (c *checker) id(i int, id string, first map[string]int) {
	if !validID(id) {
		c.add(i, "id", -1, "the id %q is not made of 1 to %d letters, digits, dots, dashes and underscores", clip(id), MaxID)
		return
	}
	if before, twice := first[id]; twice {
		c.add(i, "id", -1, "the id %q is that of step %d already", id, before+1)
		return
	}
	first[id] = i
}

func validID(id string) bool {
	if id == "" || len(id) > MaxID {
		return false
	}
	for _, r := range []byte(id) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
		default:
			return false
		}
	}
	return true
}

// sources checks that merges have something to merge. It needs checked dependencies.
func (c *checker) sources() {
	needs := c.plan.Dependencies()
	for i, s := range c.plan.Steps {
		if s.Merge == nil {
			continue
		}
		all := c.plan.Sources(i, needs[i])
		if len(all) == 0 {
			c.add(i, "merge", -1, "there is nothing to merge: name branches, or depend on steps that have a branch or a worktree")
		}
		for _, source := range all {
			if source.Branch == s.Merge.Into {
				c.add(i, "merge.into", -1, "%q is the branch of a step that it depends on", clip(source.Branch))
			}
		}
	}
}

// badText returns what is wrong with a line of text; empty if nothing is.
func badText(text string, most int) string {
	switch {
	case len(text) > most:
		return fmt.Sprintf("has %d bytes, at most %d are allowed", len(text), most)
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsAny(text, "\x00\n\r"):
		return "has more than one line"
	}
	return ""
}

// clip shortens text of a caller for an error.
func clip(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}
