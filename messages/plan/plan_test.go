package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func step(id string, needs ...string) Step { return Step{ID: id, Prompt: "do it", DependsOn: needs} }

// merging returns a plan with a step and a merge after it.
func merging(m Merge, change ...func(*Step)) Plan {
	s := step("a")
	for _, f := range change {
		f(&s)
	}
	return Plan{Steps: []Step{s, {ID: "m", DependsOn: []string{"a"}, Merge: &m}}}
}

func TestCheck(t *testing.T) {
	with := func(change func(*Step)) Plan {
		s := step("a")
		change(&s)
		return Plan{Steps: []Step{s}}
	}
	for _, c := range []struct {
		name  string
		plan  Plan
		field string // of the first problem; empty = none
		text  string // part of it
	}{
		{"one step", Plan{Steps: []Step{step("a")}}, "", ""},
		{"a diamond", Plan{Steps: []Step{step("d", "b", "c"), step("b", "a"), step("c", "a"), step("a")}}, "", ""},
		{"all members", with(func(s *Step) {
			s.Name, s.Model, s.Directory, s.Worktree, s.Lease = "A", "m", "/tmp", "w", Exclusive
			s.Tools, s.AutoApprove = []string{"Bash(go test:*)"}, &AutoApprove{Duration: time.Hour, PerMinute: 5}
			s.MaxTurns, s.Attempts, s.RetryDelay, s.Timeout, s.BudgetUSD = 3, 10, time.Second, time.Hour, 0.5
		}), "", ""},
		{"a merge of branches", merging(Merge{Branches: []string{"x/y"}, Into: "main"}), "", ""},
		{"a merge of a step", merging(Merge{Into: "main"}, func(s *Step) { s.Branch = "a" }), "", ""},
		{"a merge of a worktree", merging(Merge{Into: "main"}, func(s *Step) { s.Worktree = "a" }), "", ""},
		{"a merge of nothing", merging(Merge{Into: "main"}), "merge", "nothing to merge"},
		{"a merge into nothing", merging(Merge{Branches: []string{"x"}}), "merge.into", "into which branch"},
		{"a merge into itself", merging(Merge{Branches: []string{"x", "main"}, Into: "main"}), "merge.branches", `"main" is not`},
		{"a merge into the branch of a step", merging(Merge{Into: "a"}, func(s *Step) { s.Branch = "a" }), "merge.into", "branch of a step"},
		{"a merge of an option", merging(Merge{Branches: []string{"--all"}, Into: "main"}), "merge.branches", "--all"},
		{"a merge with a prompt", Plan{Steps: []Step{{ID: "m", Prompt: "p", Merge: &Merge{Branches: []string{"x"}, Into: "main"}}}}, "merge", "runs no agent"},
		{"a bad branch", with(func(s *Step) { s.Branch = "a b" }), "branch", "not the name"},
		{"the branch before", with(func(s *Step) { s.Branch = "@{-1}" }), "branch", "not the name"},
		{"a long branch", with(func(s *Step) { s.Branch = strings.Repeat("x", 150) }), "worktree", "longer"}, // the worktree gets the name of its branch
		{"a merge into the branch before", merging(Merge{Branches: []string{"x"}, Into: "@{-1}"}), "merge.into", "@{-1}"},
		{"a base of nothing", with(func(s *Step) { s.Base = "main" }), "base", "name the branch"},
		{"no steps", Plan{}, "steps", "no steps"},
		{"too many steps", Plan{Steps: slices.Repeat([]Step{step("a")}, MaxSteps+1)}, "steps", "1001 steps"},
		{"no id", Plan{Steps: []Step{step("")}}, "id", "letters"},
		{"a path as id", Plan{Steps: []Step{step("../a")}}, "id", "letters"},
		{"a long id", Plan{Steps: []Step{step(strings.Repeat("a", 65))}}, "id", "letters"},
		{"an id twice", Plan{Steps: []Step{step("a"), step("b"), step("a")}}, "id", "that of step 1"},
		{"an unknown dependency", Plan{Steps: []Step{step("a", "b")}}, "depends_on", `no step "b"`},
		{"a dependency twice", Plan{Steps: []Step{step("a"), step("b", "a", "a")}}, "depends_on", "twice"},
		{"itself", Plan{Steps: []Step{step("a", "a")}}, "depends_on", "a → a"},
		{"a cycle", Plan{Steps: []Step{step("x"), step("a", "x", "b"), step("b", "c"), step("c", "a")}}, "depends_on", "a → b → c → a"},
		{"dependencies in a sequence", Plan{Strategy: Sequential, Steps: []Step{step("a"), step("b", "a")}}, "depends_on", "needs the strategy dag"},
		{"dependencies in parallel", Plan{Strategy: Parallel, Steps: []Step{step("a"), step("b", "a")}}, "depends_on", "needs the strategy dag"},
		{"no such strategy", Plan{Strategy: "random", Steps: []Step{step("a")}}, "strategy", "random"},
		{"no such policy", Plan{OnFailure: "hope", Steps: []Step{step("a")}}, "on_failure", "hope"},
		{"negative parallelism", Plan{MaxParallel: -1, Steps: []Step{step("a")}}, "max_parallel", "-1"},
		{"an empty prompt", with(func(s *Step) { s.Prompt = " \n" }), "prompt", "empty"},
		{"a long prompt", with(func(s *Step) { s.Prompt = strings.Repeat("x", MaxPrompt+1) }), "prompt", "262145 bytes"},
		{"a prompt of bytes", with(func(s *Step) { s.Prompt = "\xff" }), "prompt", "UTF-8"},
		{"a relative directory", with(func(s *Step) { s.Directory = "src" }), "directory", "absolute"},
		{"a lease of nothing", with(func(s *Step) { s.Lease = Shared }), "lease", "needs a worktree"},
		{"no such lease", with(func(s *Step) { s.Lease, s.Worktree = "mine", "w" }), "lease", "mine"},
		{"auto-approve of nothing", with(func(s *Step) { s.AutoApprove = &AutoApprove{} }), "auto_approve", "needs tools"},
		{"a tool of two lines", with(func(s *Step) { s.Tools = []string{"Read", "a\nb"} }), "tools", "name of a tool"},
		{"too many attempts", with(func(s *Step) { s.Attempts = 11 }), "attempts", "1 to 10"},
		{"half a second", with(func(s *Step) { s.Timeout = time.Second / 2 }), "timeout", "whole seconds"},
		{"no amount", with(func(s *Step) { s.BudgetUSD = math.NaN() }), "budget_usd", "money"},
		{"two lines of name", Plan{Name: "a\nb", Steps: []Step{step("a")}}, "name", "line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := c.plan.Check()
			if c.field == "" {
				if len(problems) != 0 {
					t.Fatalf("%+v", problems)
				}
				return
			}
			if len(problems) == 0 || problems[0].Field != c.field || !strings.Contains(problems[0].Text, c.text) {
				t.Fatalf("%+v, want %s: …%s…", problems, c.field, c.text)
			}
		})
	}
}

func TestProblemsSayWhere(t *testing.T) {
	problems := Plan{Steps: []Step{step("a"), step("b", "a", "z"), {ID: "c"}}}.Check()
	want := []Problem{{Step: 2, Field: "prompt", Item: -1, Text: "the prompt is empty"}, {Step: 1, Field: "depends_on", Item: 1, Text: `there is no step "z"`}}
	if len(problems) != 2 || fmt.Sprint(problems) != fmt.Sprint(want) {
		t.Errorf("%+v", problems)
	}
	many := Plan{Steps: slices.Repeat([]Step{{}}, 500)}.Check()
	if len(many) != MaxProblems {
		t.Errorf("%d problems", len(many))
	}
}

// anyPlan draws a plan with arbitrary dependencies.
func anyPlan(t *rapid.T) Plan {
	n := rapid.IntRange(1, 12).Draw(t, "steps")
	p := Plan{}
	for i := range n {
		s := step(fmt.Sprint(i))
		for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(n, 3), rapid.ID[int]).Draw(t, "needs") {
			s.DependsOn = append(s.DependsOn, fmt.Sprint(d))
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// A plan is accepted exactly if its steps can be ordered, and a reported cycle is a cycle.
func TestCycleIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		needs, done := p.Dependencies(), map[int]bool{}
		for range p.Steps {
			for i := range p.Steps {
				if !slices.ContainsFunc(needs[i], func(n int) bool { return !done[n] }) {
					done[i] = true
				}
			}
		}
		problems := p.Check()
		if (len(done) == len(p.Steps)) != (len(problems) == 0) {
			t.Fatalf("%d of %d steps can be ordered: %+v", len(done), len(p.Steps), problems)
		}
		if len(problems) == 0 {
			return
		}
		cycle, place := problems[0].Cycle, p.places()
		if len(cycle) < 2 || cycle[0] != cycle[len(cycle)-1] {
			t.Fatalf("%v is no cycle", cycle)
		}
		for i := range len(cycle) - 1 {
			if !slices.Contains(p.Steps[place[cycle[i]]].DependsOn, cycle[i+1]) {
				t.Fatalf("%v: %s does not depend on %s", cycle, cycle[i], cycle[i+1])
			}
			if i > 0 && slices.Contains(cycle[:i], cycle[i]) {
				t.Fatalf("%v has a step twice", cycle)
			}
		}
	})
}

// FuzzCheck: for any plan, Check neither panics nor accepts a plan that cannot be scheduled.
func FuzzCheck(f *testing.F) {
	f.Add("a", "b", "a,b", "dag", "x", 1)
	f.Add("", "\xff", "b", "sequential", "", -1)
	f.Fuzz(func(t *testing.T, one, two, needs, strategy, prompt string, number int) {
		p := Plan{Strategy: Strategy(strategy), MaxParallel: number, Steps: []Step{
			{ID: one, Prompt: prompt, DependsOn: strings.Split(needs, ","), Attempts: number},
			{ID: two, Prompt: prompt, DependsOn: strings.Fields(needs), Timeout: time.Duration(number)},
		}}
		if len(p.Check()) > 0 {
			return
		}
		if p.cycle() != nil || one == two {
			t.Errorf("accepted %+v", p)
		}
	})
}

// The time of a check is linear in steps and dependencies, so the largest plan is checked quickly.
func TestLargestPlan(t *testing.T) {
	p := Plan{}
	for i := range MaxSteps {
		s := step(fmt.Sprint(i))
		for d := max(0, i-20); d < i; d++ {
			s.DependsOn = append(s.DependsOn, fmt.Sprint(d))
		}
		p.Steps = append(p.Steps, s)
	}
	if problems := p.Check(); len(problems) != 0 {
		t.Error(problems)
	}
}
