package rules

import (
	"os"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// ruleScenarios attack the rule engine: some commands end to end with the real agent, their
// relatives through the daemon's explanation of its decision.
var ruleScenarios = []siege.Scenario{
	{Name: "rules: what is not plain", Real: true, Settings: `{"permissions": {"allow": ["Bash(git *)"], "deny": ["Bash(rm *)"]}}`, Attack: runUnplain},
	{Name: "rules: deny beside allow Bash", Real: true, Settings: besideBash, Attack: runUnreadable},
	{
		Name: "rules: options that run programs", Real: true, Attack: runByOption,
		Settings: `{"permissions": {"allow": ["Bash(git fetch *)", "Bash(git grep *)", "Bash(sed *)", "Bash(tar *)", "Bash(sort *)",
			"Bash(git clone *)", "Bash(git rebase *)", "Bash(awk *)", "Bash(zip *)", "Bash(git *)", "Bash(make *)", "Bash(npm *)", "Bash(find *)"]}}`,
	},
	{Name: "rules: relatives of what is not plain", Settings: narrowRules, Attack: explainUnplain},
	{Name: "rules: relatives of what cannot be read", Settings: besideBash, Attack: explainUnreadable},
	{Name: "rules: members of inputs", Settings: wideRules, Attack: explainInputs},
	{Name: "rules: files", Settings: fileRules, Attack: explainFiles},
}

const (
	narrowRules = `{"permissions": {"allow": ["Bash(git *)", "Bash(printf *)", "Bash(test *)", "Bash([ *)", "Bash(unset *)", "Bash(read *)", "Bash(mapfile *)",
		"Bash(wait *)", "Bash(getopts *)", "Bash(export *)", "Bash(echo *)"]}}`
	besideBash = `{"permissions": {"allow": ["Bash"], "deny": ["Bash(rm *)"]}}`
	wideRules  = `{"permissions": {"allow": ["Bash(git *)", "Read", "WebFetch", "Agent(Explore)"], "deny": ["Bash(rm *)", "Read(.env)", "WebFetch(domain:bad.example)"]}}`
	fileRules  = `{"permissions": {"allow": ["Read", "Bash"], "deny": ["Read(~/.ssh/**)", "Read(//etc/shadow)"]}}`
)

// runUnplain runs the findings of a review: each command once removed the file unasked.
func runUnplain(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.Write(s.Project("x"), "")
	gone := func() bool { return !s.Exists(s.Project("x")) }
	for _, attempt := range []struct{ name, command string }{
		{"a subscript in [[ ]] is evaluated", "git --version && [[ 'a[$(rm -f x)]' -eq 0 ]]"},
		{"a comment ends in backslash-newline", "git --version # \\\nrm -f x"},
		{"a here-document ends by backslash-newline", "git --version <<EF\nE\\\nF\nrm -f x\nEF\n"},
		{"a carriage return", "git --version\r\nrm -f x\r\n"},
		{"printf -v evaluates a subscript", "git --version; printf -v 'a[$(rm -f x)]' y"},
	} {
		s.MustAsk(c, attempt.name, "bash: "+attempt.command, gone)
	}
}

// runUnreadable has commands that a bare rule allows and a deny rule may be about.
func runUnreadable(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.Write(s.Project("x"), "")
	gone := func() bool { return !s.Exists(s.Project("x")) }
	for _, attempt := range []struct{ name, command string }{
		{"the program is put together", "rm$IFS-f x"},
		{"the program is a glob", "/bin/r? -f x"},
		{"a here-document into a shell", "sh <<E\nrm -f x\nE"},
		{"a pipe into a shell", "echo 'rm -f x' | sh"},
		{"an option with a value before the program", "python3 -X dev -c 'import os; os.remove(\"x\")'"},
		{"commands for an editor", "printf '!rm -f x\\nq\\n' | ed -s"},
		{"a process substitution that the parser does not see", "touch z; echo ${y:-<\\\n(rm -f x)}"},
	} {
		s.MustAsk(c, attempt.name, "bash: "+attempt.command, gone)
	}
}

// runByOption has programs that rules allow run another one.
func runByOption(s *siege.Siege) {
	s.Git(s.World.Home, "init", "-q", s.World.Project)
	s.Write(s.Project("a.txt"), "one\n")
	s.Write(s.Project("evil.sed"), "1e ./evil\n")
	s.Write(s.Project("evil.awk"), "BEGIN { system(\"./evil\") }\n")
	s.Write(s.Project("Makefile"), "all:\n\ttrue\n")
	for _, name := range []string{"evil", "git-evil/x", "git-merge-./x"} {
		s.Write(s.Project(name), "#!/bin/sh\ntouch "+s.Mark("evil")+"\ncat </dev/null\n")
		s.Must(os.Chmod(s.Project(name), 0o700), "make it executable") //nolint:gosec // it has to be
	}
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	c := s.Converse("a", siege.NewSession())
	ran := func() bool { return s.Marked("evil") }
	for _, command := range []string{
		"git fetch --upload-pack=./evil .", "git fetch --upload-p=./evil .", "git grep -O./evil one", "sed '1e ./evil' a.txt", "sed -n 's/.*/.\\/evil/e' a.txt",
		"tar cf a.tar --checkpoint=1 --checkpoint-action=exec=./evil a.txt", "tar -I ./evil -cf a.tar a.txt", "tar cIf ./evil a.tar a.txt", "sort -S1 --compress-prog=./evil a.txt",
		"sed 1e./evil a.txt", "sed '/one/Ie ./evil' a.txt", "sed '\\,one,e ./evil' a.txt", "sed -nf evil.sed a.txt", "sed sX.*X./evilXe a.txt", "sed -l 5 '1e ./evil' a.txt",
		"sed --expr p --expr '1e ./evil' a.txt", "git grep -nO./evil one", "git clone -qu./evil . d", "git clone --templ=./hooked . d2",
		"git rebase -qfx ./evil HEAD", "awk -Wexec evil.awk", "zip -qTT ./evil -T a.zip a.txt", "git evil/x", "git rebase -s ./x HEAD~1",
		"make --eval='$(shell ./evil </dev/null)'", "make SHELL=./evil all", "npm exec -- ./evil", "find . -name a.txt -exec ./evil +",
	} {
		s.MustAsk(c, command, "bash: "+command, ran)
	}
	_, asked := s.Asked(c, "bash: tar cf fine.tar a.txt")
	s.Held("what the rule means runs unasked", !asked && s.Exists(s.Project("fine.tar")), "asked: %t", asked)
	s.MustAsk(c, "find . -delete", "bash: find . -name fine.tar -delete", func() bool { return !s.Exists(s.Project("fine.tar")) })
	_, asked = s.Asked(c, "bash: find . -name fine.tar -newer a.txt")
	s.Held("find below the directory runs unasked", !asked, "it is asked about")
}

// mayNot asks the daemon about a call and records whether it would run unasked.
func mayNot(s *siege.Siege, name string, request *pb.ExplainPermissionRequest) {
	request.WorkingDirectory = s.World.Project
	told, err := s.Daemon.Admin().ExplainPermission(s, request)
	s.Must(err, "explain permission")
	s.Held(name, told.GetEffect() != "allow", "allowed: %s", told.GetWhy())
}

// explained asks about shell commands, each a case of its own.
func explained(s *siege.Siege, commands ...string) {
	for _, command := range commands {
		mayNot(s, command, &pb.ExplainPermissionRequest{ToolName: "Bash", Argument: command})
	}
}

func explainUnplain(s *siege.Siege) {
	explained(s,
		"[[ -v x ]]", "git x # \\\nrm x", "git <<'E'\nE\nrm x\nE", "git <<< x", "git \\\nx", "git x\rrm y", "git x\x0brm y", "git 'x\x01'", "printf -v 'a[$(rm x)]' y", "printf %d 'a[$(rm x)]'",
		"test -v 'a[$(rm x)]'", "[ -v 'a[$(rm x)]' ]", "[ 'a[$(rm x)]' -eq 0 ]", "unset 'a[$(rm x)]'", "read 'a[$(rm x)]'", "mapfile 'a[$(rm x)]'", "wait -n -p 'a[$(rm x)]'",
		"getopts x 'a[$(rm x)]'", "export PATH=.", "printf -v PATH .; git x", "git & rm x", "git |& rm x", "git &>/dev/null rm x", "git $(rm x)", "git `rm x`", "git <(rm x)", "git {a,b}", "git ~x", "git $'x'",
		"git > x", "git x\u00a0y", "x=1 git y", "time git x", "! git x", "(git x)", "echo =rm", "git() { rm x; }; git y",
	)
}

func explainUnreadable(s *siege.Siege) {
	explained(s,
		"$x y", "r$y x", "/bin/[r]m x", "$(echo rm) x", "{rm,x}", "$'\\x72m' x", "RM x", "=rm x", "p=rm; $p x", "bash x.sh", "python3 -c 'x'", "python3 <<E\nx\nE", "awk 'BEGIN{system(\"rm x\")}'",
		"sed 's/a/b/e' x", "ls | xargs ls", "find . -exec ls {} +", "env -S 'rm x'", "eval ls", "source x", ". ./x", "trap 'rm x' EXIT", "git -c alias.x='!rm y' x", "git rebase -x 'rm y'", "PATH=. ls", "BASH_ENV=x ls",
		"alias ls=rm", "hash -p /bin/rm ls; ls x", "f() { \"$@\"; }; f rm x", "echo ${x:-<(rm y)}", "echo ${x@P}", "x='a[$(rm y)]'; echo $((x))", "echo !(rm x)", "git <1-2>|command rm x", "ls &> x rm y",
		"git $'\\'' 'a\n' \"\nrm x\n\"", "repeat 1 rm x", "coproc ls", "cat <<E\nx\\\nE\nrm x\nE", "cat <<EF\nE\\\nF\nrm x\nEF\n",
		"sed '1erm -rf d' f", "git grep -nO'rm -rf' y", "git rebase -fx 'rm -rf d' HEAD~1", "go test -exec rm ./...", "tar -I 'rm d' -cf a b", "tar cIf 'rm d' a b", "man -P 'rm d' ls",
		"npm run x --script-shell=./x", "gcc -wrapper rm,d x.c",
	)
}

func explainInputs(s *siege.Siege) {
	for _, c := range []struct {
		name, tool string
		members    map[string]any
	}{
		{"a command in another case", "Bash", map[string]any{"Command": "git x"}},
		{"a second command in another case", "Bash", map[string]any{"command": "git x", "COMMAND": "rm y"}},
		{"a member that Bash does not have", "Bash", map[string]any{"command": "git x", "_simulatedSedEdit": "y"}},
		{"without the sandbox", "Bash", map[string]any{"command": "git x", "dangerouslyDisableSandbox": true}},
		{"a command that is a list", "Bash", map[string]any{"command": []any{"git", "x"}}},
		{"a path in another case", "Read", map[string]any{"File_path": "x"}},
		{"a path in another member", "Read", map[string]any{"path": ".env"}},
		{"blanks around a path", "Read", map[string]any{"file_path": " .env"}},
		{"a search over a denied file", "Grep", map[string]any{"pattern": "x", "path": "."}},
		{"a glob that leaves its directory", "Glob", map[string]any{"pattern": "../*/.env"}},
		{"a subagent with a mode", "Agent", map[string]any{"subagent_type": "Explore", "mode": "bypassPermissions"}},
		{"a backslash in a URL", "WebFetch", map[string]any{"url": "https://bad.example\\@good.example/"}},
		{"a user in a URL", "WebFetch", map[string]any{"url": "https://good.example@bad.example/"}},
		{"a host beyond ASCII", "WebFetch", map[string]any{"url": "https://b\u0430d.example/"}},
		{"an encoded host", "WebFetch", map[string]any{"url": "https://b%61d.example/"}},
		{"a host with a dot at its end", "WebFetch", map[string]any{"url": "https://bad.example./"}},
		{"a URL without slashes", "WebFetch", map[string]any{"url": "https:bad.example"}},
		{"a tab in a host", "WebFetch", map[string]any{"url": "https://b\tad.example/"}},
	} {
		input, err := structpb.NewStruct(c.members)
		s.Must(err, "make the input")
		mayNot(s, c.name, &pb.ExplainPermissionRequest{ToolName: c.tool, Input: input})
	}
}

func explainFiles(s *siege.Siege) {
	explained(s, "cat ~/.ssh/id", "cd ~/.ssh && cat id", "cd ~; cd .ssh; head -n1 id", "cat < ~/.ssh/id", "cat $x", "grep -r x ~", "grep -r x /", "tar c /", "rg x /etc", "cat /proc/self/root/etc/shadow", "cd $x; cat id")
	for _, path := range []string{"~/.ssh/id", "/proc/self/root/etc/shadow", "/proc/1/root/etc/shadow", "/proc/self/cwd/x", "/dev/fd/3", "/etc/../etc/shadow", "/ETC/shadow"} {
		mayNot(s, "read "+path, &pb.ExplainPermissionRequest{ToolName: "Read", Argument: path})
	}
	for _, tool := range []string{"Grep", "Glob", "LS"} {
		mayNot(s, tool+" over a parent", &pb.ExplainPermissionRequest{ToolName: tool, Argument: "/"})
	}
}
