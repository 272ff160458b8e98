package protect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"betcode/actors/internal/rules"
)

var (
	places = Places{Home: "/home/u", Agent: []string{"/opt/agent"}, Daemon: []string{"/home/u/.config/betcode", "/state/betcode", "/run/u/betcode"}}
	place  = rules.Place{Directory: "/home/u/p", Home: "/home/u"}
)

func judge(l *List, tool, argument string) string {
	return l.Judge(l.Read(rules.Call{Tool: tool, Input: rules.InputOf(tool, argument), Place: place}), Real{})
}

func TestPaths(t *testing.T) {
	l := New(places, Places{})
	for _, file := range []string{
		".claude/settings.local.json", ".CLAUDE/x", "sub/.claude/commands/a.md", ".mcp.json", ".MCP.json", "a/b/.mcp.json", ".git/hooks/pre-commit", ".git",
		".git/config", "sub/.GIT/config", ".g\u200cit/config", ".git./config", "GIT~1/config", ".bashrc", "../.bashrc", "~/.zshrc", "/home/u/.ssh/authorized_keys",
		"/home/u/.claude.json", "/home/u/.claude.json.backup", "/home/u/.claude", "/home/u/.config/fish/config.fish", "/home/u/.config/systemd/user/a.service",
		"/home/u/.config/betcode/settings.json", "/HOME/U/.Config/Betcode/settings.json", "/state/betcode/journal", "/run/u/betcode/daemon.sock", "/opt/agent/x",
		"/proc/self/cwd/x", "/proc/123/root/etc/x", "x/../.claude/y", ".vscode/tasks.json", ".envrc", ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json",
		".devcontainer/devcontainer.json", "~/.config/go/env", "~/.local/lib/python3.11/site-packages/x.pth", ".baſhrc", `.claude\x`, "/home/u/.local/bin/tool",
		".gi\ufe0ft/config", ".ßh/config", "x/.gitconﬁg", "/proc/self/fd/3/.ssh/x", ".git/./hooks//x/", ".claude/.", ".mcp.json/.",
		".claude/plans", ".claude/plans/.git/x", "/home/u/.claude/projects/-home-u/x.jsonl", ".claude/plans/../settings.json", "/home/u/.claude/plans/x/.mcp.json",
	} {
		for tool := range writers {
			if judge(l, tool, file) == "" {
				t.Errorf("%s %s is not listed", tool, file)
			}
		}
	}
	for _, file := range []string{
		"a.go", ".gitignore", "claude/x", "x.mcp.json", ".github/workflows/a.yml", "/state/betcode2/x", "/home/u/.config/other", "mybashrc", "/tmp/x",
		"docs/.claudette", "/home/u/.cache/x", "/home/u/.claude/plans/a.md", ".claude/plans/a.md", "/home/u/.claude/projects/-home-u/memory/a.md", "/opt/agent/plans/x.md",
	} {
		if reason := judge(l, "Write", file); reason != "" {
			t.Errorf("Write %s: %s", file, reason)
		}
	}
	for _, tool := range []string{"Read", "WebFetch", "mcp__x__y"} {
		if judge(l, tool, ".claude/x") != "" {
			t.Errorf("%s is looked at", tool)
		}
	}
}

// A home directory is the same whether its accents are letters of their own or not.
func TestAccents(t *testing.T) {
	l := New(Places{Home: "/home/jos\u00e9", Daemon: []string{"/state/é"}}, Places{})
	for _, file := range []string{"/home/jose\u0301/.config/fish/config.fish", "/HOME/JOS\u00c9/.vimrc", "/state/e\u0301/journal"} {
		if l.Path(file) == "" {
			t.Errorf("%q is not listed", file)
		}
	}
}

// What a descriptor of a process names is another file for each process.
func TestDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	l := New(places, Places{})
	for _, file := range []string{"/dev/fd/3", "/dev/fd/3/x", "/proc/self/fd/3", "/proc/thread-self/cwd/x", "/dev/stdin"} {
		if l.Check(rules.Call{Tool: "Write", Input: rules.InputOf("Write", file), Place: place}) == "" {
			t.Errorf("%s is not asked about", file)
		}
	}
}

// A worktree below .claude is a directory like any other.
func TestWorktree(t *testing.T) {
	l := New(places, Places{})
	const tree = "/home/u/p/.claude/worktrees/a/"
	for file, listed := range map[string]bool{
		tree + "main.go": false, tree + ".claude/settings.json": true, tree + ".mcp.json": true, "/home/u/p/.claude/worktrees/a": true,
	} {
		if got := judge(l, "Write", file) != ""; got != listed {
			t.Errorf("%s: listed %v", file, got)
		}
	}
}

func TestInputs(t *testing.T) {
	l := New(places, Places{})
	for _, input := range []string{
		``, `[]`, `{}`, `{"file_path": 5}`, `{"file_path": null}`, `{"File_Path": ".mcp.json"}`, `{"file_path": "a", "FILE_PATH": ".mcp.json"}`,
		`{"file_path": ".\u0000mcp.json"}`, `{"file_path":"a","file_path":".mcp.json"}`,
	} {
		if l.Judge(l.Read(rules.Call{Tool: "Write", Input: []byte(input), Place: place}), Real{}) == "" {
			t.Errorf("%s is not asked about", input)
		}
	}
	for _, input := range []string{`{}`, `{"command": 1}`, `{"Command": "ls"}`} {
		if l.Judge(l.Read(rules.Call{Tool: "Bash", Input: []byte(input), Place: place}), Real{}) == "" {
			t.Errorf("Bash %s is not asked about", input)
		}
	}
	var none *List
	if judge(none, "Write", ".mcp.json") != "" || none.Rules("/x") != nil {
		t.Error("the empty list lists something")
	}
}

func TestCommands(t *testing.T) {
	l := New(places, Places{})
	for _, command := range []string{
		`echo x > .mcp.json`, `echo x >> .claude/settings.json`, `echo x >| .mcp.json`, `: > ".mcp".json`, `echo x &> .mcp.json`, `cat <<< x > .mcp.json`, `echo x <> .mcp.json`,
		`cp a .mcp.json`, `mv a .git/hooks/pre-commit`, `ln -s x .claude`, `ln -sf .mcp.json y`, `tee .mcp.json`, `echo x | tee -a .claude/settings.json`,
		`sed -i s/a/b/ .mcp.json`, `sed --in-place=.bak s/a/b/ .mcp.json`, `sed 's/a/b/w .mcp.json' x`, `rm -rf .claude`, `mkdir -p .claude/hooks`, `install -m 755 a .git/hooks/post-checkout`,
		`dd of=.mcp.json if=a`, `touch .envrc`, `chmod +x .git/hooks/x`, `truncate -s 0 ~/.bashrc`, `cp a -t .claude`, `cp --target-directory=.claude a`,
		`cp a $HOME/.bashrc`, `cp a "${HOME}/.ssh/authorized_keys"`, `echo x > "$PWD/.mcp.json"`, `echo x > ~/.zshrc`, `echo x > $F`, `cp a "$F"`, `rm -rf $(pwd)/x`,
		`echo x > .cl*/settings.json`, `cp a .{claude,x}/y`, `cd .claude && echo x > settings.json`, `cd .git/hooks; cp ../../a pre-commit`, `(cd .claude; touch x)`, `pushd .git; touch x`,
		`cd "$D" && echo x > y`, `cd $D; touch y`, `bash -c 'echo x > .mcp.json'`, `sh -c "cd .claude; touch x"`, `eval 'echo x > .mcp.json'`, `eval "$X"`, `bash -c "$X"`,
		`python3 -c "open('.mcp.json','w')"`, `node -e 'fs.writeFileSync(".claude/settings.json","")'`, `perl -pi -e s/a/b/ .mcp.json`, "python3 <<E\nopen('.mcp.json','w')\nE",
		"sh <<< 'echo > .mcp.json'", `sudo tee .mcp.json`, `env X=1 cp a .mcp.json`, `nohup cp a "$F"`, `timeout 5 rm $F`, `ls | xargs rm`, `ls | xargs -I{} cp a {}`,
		`find . -name x -exec cp a .mcp.json \;`, `find . -exec rm {} +`, `find . -fprint .mcp.json`, `sort -o .mcp.json a`, `curl -o .mcp.json http://x`, `curl -o.mcp.json http://x`, `wget -O .git/hooks/x http://x`,
		`tar xf a -C .claude`, `git checkout x -- .mcp.json`, `git mv a .mcp.json`, `git config core.hooksPath x`, `git config --global alias.st '!x'`, `git config set core.sshCommand x`,
		`git config CORE.HOOKSPATH x`, `git config "$K" x`, `git config -e`, `git -c core.hooksPath=. commit`, `git -c alias.x='!y' x`, `git config --file .git/config user.name x`,
		`git clone --template=x y`, `git clone -c core.hooksPath=x y`, `git --exec-path=. x`, `git $X`, `git config filter.x.clean y`, `git config include.path ../x`,
		`f=.mcp.json; echo x > $f`, `X=.mcp.json sh a.sh`, `if true; then echo x > .mcp.json; fi`, `f() { echo x > .mcp.json; }; f`, `echo $(echo x > .mcp.json)`, `diff <(echo x > .mcp.json) a`,
		`cp a scripts/hooks/post-index-change`, `echo x > hooks/Pre-Commit`, `rm -rf ~`, `rm -rf /`, `mv ~/.config x`, `rm -rf ~/.config/*`, `cp -r evil/. ~`, `rsync -a x/ ~/`, `echo 'x`, `vim .git/config`, `code .vscode/tasks.json`, `/bin/cp a .mcp.json`, `\cp a .mcp.json`,
		`c\p a .mcp.json`, `$C a .mcp.json`, `> /proc/self/cwd/x`, `cp a /state/betcode/x`, `echo x > ../.config/betcode/settings.json`, `export F=.mcp.json`, `npx prettier --write .mcp.json`,
		`cp -rt.git/hooks run.sh`, `sort -uo.git/hooks/zz f`, `sed -n w.git/zz2 f`, `sed -n s/a/b/w.git/hooks/x f`, `sed -n '/a/W.mcp.json' f`, "sed -n 'p;w ../.bashrc\np' f",
		`sed -n w../.config/betcode/x f`, `curl -sLo.bashrc http://x`, `wget -qO.bashrc http://x`, `tar -xzC.claude`, `cp -at../.config/betcode a`, `sort -u5o.mcp.json f`,
		`git diff --outp=.mcp.json`, `git log --output .git/hooks/x`, `git diff --outp .mcp.json`,
		`git clone --templ=x y`, `git clone -qu ./x y`, `git clone -qc core.hooksPath=x y`, `git clone -ccore.hooksPath=x y`, `git clone --conf=core.hooksPath=x y`, `git clone --conf core.hooksPath=x y`,
		`git rebase --ex x main`, `git rebase -ix x main`, `git fetch --upl=x`, `git grep -nOx a`, `git grep --open=x a`, `git ls-remote ext::x`, `git init --templ x`,
		`install a b .claude/`, `git worktree add .claude`, `uniq a .mcp.json`, `find . -type f -delete -o -path ./.git/x`,
	} {
		if judge(l, "Bash", command) == "" {
			t.Errorf("%s is not asked about", command)
		}
	}
	for _, command := range []string{
		`ls`, `cat .mcp.json`, `grep -r x .claude`, `git status`, `git add .claude/settings.json`, `git commit -m "change .mcp.json"`, `git push origin main`, `git diff .mcp.json`,
		`git config user.name x`, `git config --get core.hooksPath`, `git config --list`, `echo .mcp.json`, `echo x > out.txt 2>&1`, `npm test > /dev/null`, `go test ./...`, `cp a b`, `mkdir -p x/y`,
		`rm -rf build`, `cd sub && touch x`, `touch ~/p/x`, `make -j4`, `git checkout main`, `git stash`, `sed -n 1,5p .mcp.json`, `sed s/a/b/ .bashrc`, `find . -name .mcp.json`, `test -f .mcp.json && echo yes`,
		`wc -l $F`, `jq . .mcp.json`, `head -5 .claude/settings.json`, `python3 x.py`, `for f in *.go; do gofmt -l $f; done`, `cat a | sort | uniq -c`, `docker run -v $PWD/src:/src x`, `curl http://a.b/c:d,e`,
		`sed -n /window/p f`, `sed s/low/high/w out.txt f`, `tar -czf out.tar.gz src`, `curl -sLo out.txt http://x`, `cc -Wall -DNAME=x -Isrc/include -c a.c`, `cp -rtbuild a`,
		`git log --output out.txt`, `git log --oneline`, `git fetch --all`, `git rebase main`, `git rebase -i main`, `git clone -qb main x y`, `git clone -qc user.name=x y`, `git grep -nC3 OOM`, `git commit -c HEAD`, `bash x.sh`, `node build.js`, `timeout 60 go build ./...`, `cat > out.txt <<E
hello .mcp.json
E`,
	} {
		if reason := judge(l, "Bash", command); reason != "" {
			t.Errorf("%s: %s", command, reason)
		}
	}
}

// A path is judged by its file on the disk and by its spelling.
func TestOnDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need rights on Windows")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, state := filepath.Join(root, "home"), filepath.Join(root, "state")
	project := filepath.Join(home, "p")
	for _, dir := range []string{project + "/.git/hooks", project + "/sub", state, home + "/.config/fish", root + "/elsewhere/in"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(state+"/journal", nil, 0o600))
	must(os.WriteFile(project+"/plain", nil, 0o600))
	must(os.Symlink(state, project+"/link"))
	must(os.Symlink(".git/hooks", project+"/hooks"))
	must(os.Symlink(state+"/new", project+"/dangling"))
	must(os.Link(state+"/journal", project+"/hard"))
	must(os.Symlink(root+"/elsewhere/in", project+"/sub/up"))
	must(os.Symlink(state, root+"/elsewhere/state"))
	spelled := Places{Home: home, Daemon: []string{state}}
	l := New(spelled, spelled.Resolve())
	here := rules.Place{Directory: project, Home: home}
	for argument, listed := range map[string]bool{
		"plain": false, "new/file": false, "link/x": true, "hooks/pre-commit": true, "dangling": true, "hard": true, "sub/up/../state/x": true, "sub/../plain": false,
	} {
		for _, tool := range []string{"Write", "Bash"} {
			call := rules.Call{Tool: tool, Place: here}
			if call.Input = rules.InputOf(tool, argument); tool == "Bash" {
				call.Input = rules.InputOf(tool, "echo x > "+argument)
			}
			w := l.Read(call)
			if got := l.Judge(w, Resolve(w)); (got != "") != listed || got != l.Check(call) {
				t.Errorf("%s %s: %q", tool, argument, got)
			}
		}
	}
}

func TestRulesForAgents(t *testing.T) {
	l := New(places, Places{})
	all := strings.Join(l.Rules("/home/u/p"), "\n")
	for _, want := range []string{"Edit(//**/.claude/[a-oq-z0-9._-]*)", "Edit(//**/.mcp.json)", "Edit(//state/betcode)", "Edit(//home/u/.claude.*)", "Edit(//opt/agent/pl[b-z0-9._-]*)", "Edit(//**/.git)"} {
		if !strings.Contains(all+"\n", want+"\n") {
			t.Errorf("%s is not in\n%s", want, all)
		}
	}
	for _, r := range l.Rules("/home/u/p/.claude/worktrees/a/sub") {
		if strings.HasPrefix(r, "Edit(//**/") {
			t.Errorf("%s is about everything in the worktree", r)
		}
	}
	if set, problems := rules.New(rules.Rule{Effect: rules.Ask, Text: "Edit(//**/.git)"}); set.Len() != 1 || len(problems) > 0 {
		t.Error(problems)
	}
}

func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"echo x > .mcp.json", "cd a; git -c x=y z", "find . -exec rm {} +", "a{b,c}[d", "eval eval eval x"} {
		f.Add(seed)
	}
	l := New(places, Places{})
	f.Fuzz(func(t *testing.T, command string) {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Skip()
		}
		w := l.Read(rules.Call{Tool: "Bash", Input: input, Place: place})
		if len(w.Paths) > maxPaths*64 {
			t.Errorf("%d paths", len(w.Paths))
		}
		// Whatever precedes it, a person is asked about a visible write.
		if l.Judge(l.Read(rules.Call{Tool: "Bash", Input: rules.InputOf("Bash", command+"\n: > .mcp.json"), Place: place}), Real{}) == "" &&
			!strings.ContainsAny(command, "#'\"`\\<({[") {
			t.Errorf("%q hides a redirection", command)
		}
	})
}
