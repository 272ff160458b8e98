package planfile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"betcode/messages/plan"
)

var update = flag.Bool("update", false, "write docs/schemas/plan.schema.json")

func TestReadEverything(t *testing.T) {
	got, err := Read("plan.yaml", "/base", []byte(`
name: release
strategy: dag
max_parallel: 3
on_failure: stop_all
budget: {usd: 2.5, work: 1h}
steps:
  - id: a
    name: First
    prompt: |
      do it
      well
    model: opus
    directory: sub/dir
    worktree: w
    lease: exclusive
    tools: [Read, "Bash(go test:*)"]
    max_turns: 7
    auto_approve: {duration: 1h, per_minute: 5, above_rate: queue, unfenced: true}
    attempts: 2
    retry_delay: 90s
    timeout: 1h30m
    budget_usd: 0.5
    budget: {tokens: 1000000}
  - {id: b, prompt: p, directory: /x, depends_on: [a], tools: [Read], auto_approve: true}
  - {id: c, prompt: p, auto_approve: false, worktree: wc, branch: c/x, base: v1}
  - {id: m, depends_on: [c], merge: {into: main, branches: [x, y]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Plan{Name: "release", Strategy: plan.DAG, MaxParallel: 3, OnFailure: plan.StopAll, Budget: plan.Budget{Micros: 2_500_000, Work: time.Hour}, Steps: []plan.Step{
		{
			ID: "a", Name: "First", Prompt: "do it\nwell\n", Model: "opus", Directory: "/base/sub/dir", Worktree: "w", Lease: plan.Exclusive, Tools: []string{"Read", "Bash(go test:*)"},
			MaxTurns: 7, AutoApprove: &plan.AutoApprove{Duration: time.Hour, PerMinute: 5, Queue: true, Unfenced: true}, Attempts: 2,
			RetryDelay: 90 * time.Second, Timeout: 90 * time.Minute, BudgetUSD: 0.5, Budget: plan.Budget{Tokens: 1_000_000},
		},
		{ID: "b", Prompt: "p", Directory: "/x", DependsOn: []string{"a"}, Tools: []string{"Read"}, AutoApprove: &plan.AutoApprove{}},
		{ID: "c", Prompt: "p", Worktree: "wc", Branch: "c/x", Base: "v1"},
		{ID: "m", DependsOn: []string{"c"}, Merge: &plan.Merge{Into: "main", Branches: []string{"x", "y"}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestMistakesSayTheirLines(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "p:1:1: the file is empty"},
		{"no YAML", "steps:\n  - [", ": not YAML: "},
		{"a list", "- a", "p:1:1: the plan is a list"},
		{"an unknown key", "stepz: []\nsteps: [{id: a, prompt: p}]", `p:1:1: the plan has no key "stepz"; its keys are name, strategy`},
		{"an unknown key of a step", "steps:\n  - id: a\n    promt: p", `p:3:5: the step has no key "promt"`},
		{"a key twice", "name: a\nname: b\nsteps: [{id: a, prompt: p}]", "p:2:1: the key name is there twice"},
		{"no prompt", "steps:\n  - id: a", "p:2:5: the prompt is empty"},
		{"a merge into nothing", "steps:\n  - id: a\n    merge: {}", "p:3:12: merge has no into"},
		{"a bad target", "steps:\n  - id: a\n    merge:\n      branches: [x]\n      into: a b", "p:5:13: \"a b\" is not the name of a branch"},
		{"a number as id", "steps:\n  - id: 1\n    prompt: p", "p:2:9: id is a number, not text; put it between quotes"},
		{"text as number", "max_parallel: many\nsteps: [{id: a, prompt: p}]", "p:1:15: max_parallel is text, not a whole number"},
		{"a large number", "max_parallel: 99999999999999999999\nsteps: [{id: a, prompt: p}]", "p:1:15: max_parallel is a number, not a whole number"},
		{"no choice", "on_failure: hope\nsteps: [{id: a, prompt: p}]", `p:1:13: on_failure is "hope"; give fail_dependants, continue, stop_all`},
		{"no time", "steps: [{id: a, prompt: p, timeout: soon}]", `timeout is "soon"; give a time such as 90s`},
		{"half a second", "steps:\n  - id: a\n    prompt: p\n    timeout: 1500ms", "p:4:14: timeout is 1.5s; give whole seconds"},
		{"an alias", "name: &x a\nsteps: [{id: *x, prompt: p}]", "id is an alias"},
		{"two documents", "steps: [{id: a, prompt: p}]\n---\nname: b", "a second document"},
		{"an id twice", "steps:\n  - {id: a, prompt: p}\n  - {id: a, prompt: p}", `p:3:10: the id "a" is that of step 1`},
		{"an unknown step", "steps:\n  - {id: a, prompt: p}\n  - id: b\n    prompt: p\n    depends_on:\n      - a\n      - z", `p:7:9: there is no step "z"`},
		{"a cycle", "steps:\n  - {id: a, prompt: p}\n  - id: b\n    prompt: p\n    depends_on: [c]\n  - {id: c, prompt: p, depends_on: [b]}", "p:5:17: the steps depend on each other in a cycle: b → c → b"},
		{"long auto-approve", "steps:\n  - id: a\n    prompt: p\n    tools: [Read]\n    auto_approve:\n      duration: 48h", "p:6:17: auto_approve.duration is 48h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("p", "/", []byte(c.text))
			var mistakes *MistakesError
			if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Read("p", "/", make([]byte, MaxBytes+1)); err == nil {
		t.Error("a file above the limit was read")
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "k%d: 1\n", i)
	}
	var mistakes *MistakesError
	if _, err := Read("p", "/", []byte(many.String())); !errors.As(err, &mistakes) || len(mistakes.List) != maxMistakes {
		t.Errorf("%v", err)
	}
}

// The schema in the repository is that of the table which reads files.
func TestSchema(t *testing.T) {
	const path = "../../../../docs/schemas/plan.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // a page for everybody
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the decoder (%v): go test ./cmd/betcode/internal/planfile -update", path, err)
	}
}

// FuzzRead: no text makes the decoder panic, and what it accepts passes the checks of plans.
func FuzzRead(f *testing.F) {
	f.Add([]byte("steps:\n  - id: a\n    prompt: p\n"))
	f.Add([]byte("a: &a [*a]\n? [b]\n: c\n"))
	f.Add([]byte("steps: !!set {? a}\n--- \n<<: {}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read("p", "/", text)
		if err == nil && len(p.Check()) > 0 {
			t.Errorf("%+v", p)
		}
	})
}
