package planfile

import (
	"math"
	"path/filepath"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"betcode/messages/gitname"
	"betcode/messages/plan"
)

// field is one key of a mapping: how it is read, and its part of the JSON Schema.
type field[T any] struct {
	name     string
	required bool
	doc      string
	schema   map[string]any
	read     func(d *decoder, n *yaml.Node, into *T)
}

// planFields are the keys of a file.
var planFields = []field[plan.Plan]{
	text("name", "Name of the orchestration, for people.", plan.MaxName, func(p *plan.Plan, v string) { p.Name = v }),
	choice("strategy", "In which order steps start. The default is dag: each when those that it depends on have completed.",
		[]string{"dag", "parallel", "sequential"}, func(p *plan.Plan, v string) { p.Strategy = plan.Strategy(v) }),
	count("max_parallel", "Steps that run at the same time. The default is as many as the daemon admits.", plan.MaxSteps,
		func(p *plan.Plan, v int) { p.MaxParallel = v }),
	choice("on_failure", "What the failure of a step does to others. The default is fail_dependants.",
		[]string{"fail_dependants", "continue", "stop_all"}, func(p *plan.Plan, v string) { p.OnFailure = plan.OnFailure(v) }),
	consumed("What all steps together may consume before the plan pauses and asks.", func(p *plan.Plan) *plan.Budget { return &p.Budget }),
	{
		name: "steps", required: true, doc: "What is to be done. Each step is a subagent.",
		schema: map[string]any{"type": "array", "minItems": 1, "maxItems": plan.MaxSteps, "items": map[string]any{"$ref": "#/$defs/step"}},
		read:   readSteps,
	},
}

// stepFields are the keys of a step.
var stepFields = []field[plan.Step]{
	required(patterned(text("id", "Names the step within the plan.", plan.MaxID, func(s *plan.Step, v string) { s.ID = v }), "^[A-Za-z0-9._-]+$")),
	text("name", "Name of the step, for people.", plan.MaxName, func(s *plan.Step, v string) { s.Name = v }),
	text("prompt", "What is to be done. The results of the steps that it depends on are put before it. Required, unless the step merges.", plan.MaxPrompt,
		func(s *plan.Step, v string) { s.Prompt = v }),
	text("model", "Model of the agent. The default is that of the session on whose behalf the plan is played.", plan.MaxModel,
		func(s *plan.Step, v string) { s.Model = v }),
	directory(text[plan.Step]("directory", "Where the agent works. A relative one is below the directory of the file.", plan.MaxPath, nil)),
	text("worktree", "The worktree in which the agent works: id, the beginning of it, or name. With branch, the name of the one that is made.", plan.MaxPath,
		func(s *plan.Step, v string) { s.Worktree = v }),
	text("branch", "The agent works on this branch, in a worktree of its own. Both are made when the step starts, unless they are there, and stay.", gitname.MaxBranch,
		func(s *plan.Step, v string) { s.Branch = v }),
	text("base", "Commit, branch or tag at which a new branch begins. The default is what is checked out in the directory.", plan.MaxPath,
		func(s *plan.Step, v string) { s.Base = v }),
	choice("lease", "How the step shares its worktree.", []string{"shared", "exclusive"}, func(s *plan.Step, v string) { s.Lease = plan.Lease(v) }),
	list("tools", "The tools that the agent has, as permission rules name them. The default is those of any session.", plan.MaxTools,
		func(s *plan.Step, v []string) { s.Tools = v }),
	list("depends_on", "Steps that have to complete before.", plan.MaxSteps, func(s *plan.Step, v []string) { s.DependsOn = v }),
	count("max_turns", "Requests to the model that the prompt may cause.", plan.MaxTurnsLimit, func(s *plan.Step, v int) { s.MaxTurns = v }),
	{
		name: "auto_approve", doc: "Calls of the tools need no person.",
		schema: map[string]any{"anyOf": []any{map[string]any{"type": "boolean"}, map[string]any{"$ref": "#/$defs/auto_approve"}}},
		read:   readAutoApprove,
	},
	count("attempts", "How often the step is tried, at most. The default is 1.", plan.MaxAttempts, func(s *plan.Step, v int) { s.Attempts = v }),
	span("retry_delay", "Time before the next attempt.", func(s *plan.Step, v time.Duration) { s.RetryDelay = v }),
	span("timeout", "An attempt that takes longer fails.", func(s *plan.Step, v time.Duration) { s.Timeout = v }),
	amount("budget_usd", "What an attempt may cost, in US dollars: its agent ends the turn there.", func(s *plan.Step, v float64) { s.BudgetUSD = v }),
	consumed("What an attempt may consume before its subagent pauses and asks.", func(s *plan.Step) *plan.Budget { return &s.Budget }),
	{
		name: "merge", doc: "The step merges branches instead of running an agent. With a conflict it fails, and nothing has changed.",
		schema: map[string]any{"$ref": "#/$defs/merge"},
		read: func(d *decoder, n *yaml.Node, into *plan.Step) {
			d.note(n, "merge", -1)
			into.Merge = &plan.Merge{}
			object(d, n, "merge", mergeFields, into.Merge)
		},
	},
}

// mergeFields are the keys of merge.
var mergeFields = []field[plan.Merge]{
	list("branches", "The branches, in order. The default is those of the steps that it depends on.", plan.MaxBranches,
		func(m *plan.Merge, v []string) { m.Branches = v }),
	required(text("into", "The branch into which they are merged. Where it is checked out, the files change as well.", gitname.MaxBranch,
		func(m *plan.Merge, v string) { m.Into = v })),
}

// budgetFields are the keys of budget.
var budgetFields = []field[plan.Budget]{
	amount("usd", "Cost in US dollars, as agents report it.", func(b *plan.Budget, v float64) { b.Micros = uint64(math.Round(min(v*1e6, 2*plan.MaxMicros))) }),
	amount("tokens", "Tokens sent, written, and written to the cache.", func(b *plan.Budget, v float64) { b.Tokens = uint64(min(v, 2*plan.MaxTokens)) }),
	span("work", "Working time, without waits for people.", func(b *plan.Budget, v time.Duration) { b.Work = v }),
}

// consumed is the field budget of a plan or a step.
func consumed[T any](doc string, of func(*T) *plan.Budget) field[T] {
	return field[T]{
		name: "budget", doc: doc, schema: map[string]any{"$ref": "#/$defs/budget"},
		read: func(d *decoder, n *yaml.Node, into *T) {
			d.note(n, "budget", -1)
			object(d, n, "budget", budgetFields, of(into))
		},
	}
}

// autoFields are the bounds of auto_approve.
var autoFields = []field[plan.AutoApprove]{
	span("duration", "For how long calls are approved. The agent is ended then.", func(a *plan.AutoApprove, v time.Duration) { a.Duration = v }),
	count("per_minute", "Calls that are approved in a minute.", plan.MaxPerMinute, func(a *plan.AutoApprove, v int) { a.PerMinute = v }),
	choice("above_rate", "What happens to a call above that rate. The default is deny.", []string{"deny", "queue"},
		func(a *plan.AutoApprove, v string) { a.Queue = v == "queue" }),
	yesNo("unfenced", "The agent may write outside its directory.", func(a *plan.AutoApprove, v bool) { a.Unfenced = v }),
}

func readSteps(d *decoder, n *yaml.Node, into *plan.Plan) {
	d.note(n, "steps", -1)
	if n.Kind != yaml.SequenceNode {
		d.mistake(n, "steps is %s, not a list", kindOf(n))
		return
	}
	if len(n.Content) > plan.MaxSteps {
		d.mistake(n, "the plan has %d steps, at most %d are allowed", len(n.Content), plan.MaxSteps)
		return
	}
	into.Steps = make([]plan.Step, len(n.Content))
	for i, node := range n.Content {
		d.step = i
		d.note(node, "", -1)
		object(d, node, "the step", stepFields, &into.Steps[i])
	}
	d.step = -1
}

func readAutoApprove(d *decoder, n *yaml.Node, into *plan.Step) {
	d.note(n, "auto_approve", -1)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" {
		if yes, err := strconv.ParseBool(n.Value); err == nil && yes {
			into.AutoApprove = &plan.AutoApprove{}
		}
		return
	}
	into.AutoApprove = &plan.AutoApprove{}
	object(d, n, "auto_approve", autoFields, into.AutoApprove)
}

// directory makes a field of a step's directory: a relative one is below that of the file.
func directory(f field[plan.Step]) field[plan.Step] {
	f.read = func(d *decoder, n *yaml.Node, into *plan.Step) {
		if !scalar(d, n, f.name, "text", "!!str") || n.Value == "" {
			return
		}
		into.Directory = n.Value
		if !filepath.IsAbs(into.Directory) {
			into.Directory = filepath.Join(d.base, into.Directory)
		}
	}
	return f
}
