package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// mergeStory is a story with orchestrations in a repository. Agents may run commands.
type mergeStory struct{ planStory }

// repositoryIn makes the project of a world a repository, and lets agents run commands in it.
func repositoryIn(t *testing.T, w *kit.World) {
	t.Helper()
	for path, content := range map[string]string{
		filepath.Join(w.Home, ".gitconfig"):           "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n",
		filepath.Join(w.Project, "README"):            "read me\n",
		filepath.Join(w.ConfigDir(), "settings.json"): `{"feature_flags": {"worktree_management": true, "subagent_orchestration": true}, "permissions": {"allow": ["Bash"]}}`,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		gitIn(t, w, args...)
	}
}

// gitIn runs git in the project as the user would.
func gitIn(t *testing.T, w *kit.World, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.Project, w.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newMergeStory(t *testing.T) mergeStory {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	repositoryIn(t, w)
	s := mergeStory{planStory{story: storyIn(t, w), parent: session()}}
	c := s.converse("parent", s.parent)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	return s
}

func (s mergeStory) git(args ...string) string {
	s.Helper()
	return gitIn(s.T, s.world, args...)
}

// worker is a step that commits a file on a branch of its own.
func worker(id, file, content, before string) *pb.OrchestrationStep {
	return &pb.OrchestrationStep{
		Id: id, Branch: "work/" + id, Prompt: fmt.Sprintf("%srun:echo %s >%s && git add . && git commit -q -m %s", before, content, file, id),
	}
}

func mergeStep(into string, needs ...string) *pb.OrchestrationStep {
	return &pb.OrchestrationStep{Id: "merge", Merge: &pb.StepMerge{Into: into}, DependsOn: needs}
}

// Three agents work in three worktrees; a merge brings it together. The daemon is killed while they work, and when the merge has
// started. Nothing is done twice.
func TestOrchestrationMerges(t *testing.T) {
	t.Parallel()
	s := newMergeStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{
		worker("one", "one", "1", ""), worker("two", "two", "2", "gate:open\n"), worker("three", "three", "3", ""), mergeStep("main", "one", "two", "three"),
	}})
	completed := 0
	s.watch(id, 0, func(e *pb.OrchestrationEvent) bool {
		if e.GetStepCompleted() != nil {
			completed++
		}
		return completed == 2
	})
	s.eventually("the second worktree is ready", func() bool { // the others may be done before git has made it
		list, err := pb.NewWorktreeServiceClient(s.daemon.Conn()).ListWorktrees(s.Context(), &pb.ListWorktreesRequest{})
		return err == nil && slices.ContainsFunc(list.GetWorktrees(), func(w *pb.WorktreeInfo) bool {
			return w.GetBranch() == "work/two" && w.GetState() == pb.WorktreeState_WORKTREE_STATE_READY
		})
	})
	s.killDaemon()
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.world.Project), filepath.Base(s.world.Project)+"-work-two", "open"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.watch(id, 0, func(e *pb.OrchestrationEvent) bool { return e.GetStepStarted().GetStepId() == "merge" })
	s.killDaemon()
	events := s.watch(id, 0, nil)
	started := map[string]int{}
	for _, e := range events {
		if step := e.GetStepStarted(); step != nil {
			started[step.GetStepId()]++
		}
	}
	if fmt.Sprint(started) != "map[merge:1 one:1 three:1 two:1]" || events[len(events)-1].GetCompleted().GetSucceeded() != 4 {
		t.Errorf("%v, %v", started, events[len(events)-1])
	}
	for _, step := range s.get(id).GetSteps()[:3] {
		if prompts := s.prompts(step.GetSubagentId()); len(prompts) != 1 || step.GetBranch() != "work/"+step.GetId() {
			t.Errorf("%v: %q", step, prompts)
		}
	}
	if files := s.git("ls-files"); files != "README\none\nopen\nthree\ntwo" {
		t.Errorf("main has %q", files)
	}
	if log := s.git("log", "--first-parent", "--format=%s"); log != "Merge branch 'work/three' into main\nMerge branch 'work/two' into main\nMerge branch 'work/one' into main\nfirst" {
		t.Error(log)
	}
	if out := s.git("status", "--porcelain"); out != "" {
		t.Errorf("the project is not clean: %s", out)
	}
}

// A conflict fails the step, with its paths, and leaves the target as it was. Resolved, the step is retried.
func TestOrchestrationMergeConflict(t *testing.T) {
	t.Parallel()
	s := newMergeStory(t)
	before := s.git("rev-parse", "main")
	after := fakeStep("after", "echo:merged", "merge")
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{
		worker("one", "README", "1", ""), worker("two", "README", "2", ""), mergeStep("main", "one", "two"), after,
	}})
	var failed *pb.StepFailed
	for _, e := range s.watch(id, 0, nil) {
		if f := e.GetStepFailed(); f != nil {
			failed = f
		}
	}
	if failed.GetStepId() != "merge" || fmt.Sprint(failed.GetConflicts()) != "[README]" || !strings.Contains(failed.GetErrorMessage(), "work/two has conflicts in README") {
		t.Fatalf("%v", failed)
	}
	if s.git("rev-parse", "main") != before || s.git("status", "--porcelain") != "" {
		t.Error("the target has changed")
	}
	if step := s.get(id).GetSteps()[2]; step.GetMergeInto() != "main" || fmt.Sprint(step.GetConflicts()) != "[README]" || step.GetSubagentId() != "" {
		t.Errorf("%v", step)
	}
	s.git("-C", filepath.Join(filepath.Dir(s.world.Project), filepath.Base(s.world.Project)+"-work-two"), "merge", "-q", "-s", "ours", "work/one")
	head := s.get(id).GetHead()
	if _, err := s.api().RetryOrchestration(s.Context(), &pb.RetryOrchestrationRequest{OrchestrationId: id}); err != nil {
		t.Fatal(err)
	}
	events := s.watch(id, head, nil)
	if last := events[len(events)-1].GetCompleted(); last.GetSucceeded() != 4 {
		t.Errorf("%v", last)
	}
	if prompts := s.prompts(s.get(id).GetSteps()[3].GetSubagentId()); len(prompts) != 1 || !strings.Contains(prompts[0], "[Context from step merge]: work/one, work/two merged into main at "+s.git("rev-parse", "main")) {
		t.Errorf("%q", prompts)
	}
}

// TestRealAgentsMerge: three real agents work in three worktrees under a graph with a merge. The daemon is killed while they work and
// when the merge has started. Each prompt is in one conversation, once; no step is started twice; the merge has all three works.
func TestRealAgentsMerge(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"rules": [
		{"when": {"prompt": "piece (\\w+)$", "after": 0},
		 "reply": [{"hold": "pieces"}, {"tool": "Bash", "input": {"command": "echo ${1} >${1}.txt && git add . && git commit -q -m ${1}", "description": "work"}}]},
		{"when": {"prompt": "piece (\\w+)$", "after": 1}, "reply": [{"text": "did ${1}"}]},
		{"when": {"prompt": "look at it$"}, "reply": [{"text": "it is whole"}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, server := scriptedWorld(t, binaries.betcode, script)
	repositoryIn(t, w)
	s := mergeStory{planStory{story: storyIn(t, w), parent: session()}}
	c := s.converse("parent", s.parent)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	piece := func(id string) *pb.OrchestrationStep {
		return &pb.OrchestrationStep{Id: id, Prompt: "piece " + id, Branch: id}
	}
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{
		piece("one"), piece("two"), piece("three"), mergeStep("main", "one", "two", "three"), fakeStep("review", "look at it", "merge"),
	}})
	s.eventually("all agents ask the model", func() bool {
		for _, step := range []string{"one", "two", "three"} {
			if !slices.ContainsFunc(server.Requests(), func(r model.Request) bool { return r.Conversation.Count("piece "+step) > 0 }) {
				return false
			}
		}
		return true
	})
	s.killDaemon()
	server.Release("pieces")
	s.watch(id, 0, func(e *pb.OrchestrationEvent) bool { return e.GetStepStarted().GetStepId() == "merge" })
	s.killDaemon()
	events := s.watch(id, 0, nil)
	started := map[string]int{}
	for _, e := range events {
		if step := e.GetStepStarted(); step != nil {
			started[step.GetStepId()]++
		}
	}
	if fmt.Sprint(started) != "map[merge:1 one:1 review:1 three:1 two:1]" || events[len(events)-1].GetCompleted().GetSucceeded() != 5 {
		t.Errorf("%v, %v, %v", started, events[len(events)-1], s.get(id))
	}
	for _, step := range []string{"one", "two", "three"} {
		once(t, server, "piece "+step)
	}
	if files := s.git("ls-files"); files != "README\none.txt\nthree.txt\ntwo.txt" || s.git("status", "--porcelain") != "" {
		t.Errorf("main has %q", files)
	}
}
