package rules

import "testing"

// TestCommandOptions holds rules for a program against calls of it that run another one.
func TestCommandOptions(t *testing.T) {
	for _, c := range []struct {
		rule, command string
		allow         bool
	}{
		{"git *", "git log -p", true},
		{"git *", "git -c color.ui=always log", true},
		{"git *", "git -c core.pager=./x log", false},
		{"git *", "git rebase -x make", false},
		{"git rebase -x make *", "git rebase -x make main", true},
		{"git fetch *", "git fetch origin", true},
		{"git fetch *", "git fetch --upload-pack=./x .", false},
		{"git fetch *", "git fetch --upl=./x .", false},
		{"git fetch *", "git fetch ext::./x", false},
		{"git grep *", "git grep --open=./x y", false},
		{"git *", "git config core.pager ./x", false},
		{"git *", "git config --get core.pager", true},
		{"sed *", "sed -n 1,10p src/file", true},
		{"sed *", "sed s/one/two/ a.txt", true},
		{"sed *", "sed 's/a/b/e' f", false},
		{"sed *", "sed '1e ./x' f", false},
		{"sed *", "sed -n -e 1d -e '1e ./x' f", false},
		{"sed *", "sed -ne '1e ./x' f", false},
		{"sed *", "sed --expression='1e ./x' f", false},
		{"sed *", "sed -f x f", false},
		{"sed *", "sed --file=x f", false},
		{"sort *", "sort -u a", true},
		{"sort *", "sort --compress-prog ./x a", false},
		{"tar *", "tar czf a.tgz b", true},
		{"tar *", "tar xf a --to-com=./x", false},
		{"tar *", "tar -xI ./x -f a", false},
		{"tar *", "tar cIf ./x a b", false},
		{"tar *", "tar cf a --checkpoint-action=exec=x b", false},
		{"rg *", "rg --pretty x", true},
		{"rg *", "rg --pre ./x y", false},
		{"rg *", "rg --pre=./x y", false},
		{"man *", "man 3 printf", true},
		{"man *", "man -P ./x ls", false},
		{"go test *", "go test -run X ./...", true},
		{"go test *", "go test -exec ./x ./...", false},
		{"go test *", "go test --toolexec=./x", false},
		{"go test -exec=sudo *", "go test -exec=sudo ./...", true},
		{"awk *", "awk '{print $1}' f", true},
		{"awk *", `awk 'BEGIN{system("x")}'`, false},
		{"npm run lint *", "npm run lint --script-shell=./x", false},
		{"npm run lint *", "npm run lint -- --fix", true},
		{"rsync *", "rsync -a a b", true},
		{"rsync *", "rsync -e ./x a h:b", false},
		{"/usr/bin/tar *", "/usr/bin/tar -I ./x -cf a b", false},
	} {
		got := mustSet(t, Allow, "Bash("+c.rule+")").Decide(callOf("Bash", "command", c.command))
		if (got.Effect == Allow) != c.allow {
			t.Errorf("allow Bash(%s): %q: %v (%s)", c.rule, c.command, got.Effect, got.Why)
		}
	}
}
