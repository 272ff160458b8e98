package worktree

import (
	"strings"
	"testing"

	"betcode/messages"
)

// Refusals are sentences that name the obstacle.
func TestRefusals(t *testing.T) {
	f := newFixture(t)
	repo := f.register(messages.RepositorySettings{})
	f.run(f.main, "branch", "st")
	f.run(f.main, "branch", "deep/er")
	f.run(f.main, "checkout", "-q", "-b", "lost")
	f.write("project/c", "c\n")
	f.run(f.main, "add", "c")
	f.run(f.main, "commit", "-q", "-m", "second")
	f.run(f.main, "checkout", "-q", "main")
	taken := f.new("main")
	taken.CreateBranch = false
	for name, c := range map[string]struct {
		m          messages.WorktreeRequest
		kind       messages.Kind
		says, hint string
	}{
		"checked out":    {taken, messages.AlreadyExists, "branch main is checked out at " + f.main, "another branch"},
		"below a branch": {f.new("st/sub"), messages.WrongState, "branch st/sub cannot be created: git keeps no branch of that name beside branch st", "Choose"},
		"above a branch": {f.new("deep"), messages.WrongState, "beside branch deep/er", "Choose"},
		"branch below":   {messages.CreateBranch{Repo: repo.ID, Name: "st/sub", Common: f.common, Main: f.main}, messages.WrongState, "beside branch st", "Choose"},
		"lost commits":   {messages.DeleteBranch{Repo: repo.ID, Name: "lost", Common: f.common}, messages.WrongState, "1 commit neither pushed", "betcode repo branches delete --force " + repo.ID + " lost"},
	} {
		_, err := f.ask(c.m)
		if err == nil || err.Kind != c.kind || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Hint, c.hint) {
			t.Errorf("%s: %v; %+v", name, err, err)
		}
	}
	if f.exists("project-st-sub") || len(f.registry.all("")) != 0 {
		t.Error("something is left of what was refused")
	}
	f.create(f.new("sta"))
}
