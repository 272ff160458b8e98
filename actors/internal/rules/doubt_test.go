package rules

import (
	"strings"
	"testing"
)

// TestDoubt checks what is asked about, and what not, where Bash is allowed beside a
// deny rule with an argument.
func TestDoubt(t *testing.T) {
	s, problems := New(Rule{Effect: Allow, Text: "Bash"}, Rule{Effect: Deny, Text: "Bash(rm *)"}, Rule{Effect: Deny, Text: "Bash(git push --force *)"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for command, want := range map[string]Effect{
		// holes
		"$x y": Ask, "rm$IFS-f x": Ask, "/bin/r? x": Ask, "/bin/[r]m x": Ask, "r$y x": Ask, "${y}m x": Ask, "~/r* x": Ask, "$(echo rm) x": Ask, "git $x": Ask, "git push $x": Ask,
		"git push --forc? x": Ask, "{rm,x}": Deny, "r{m,n} x": Deny, "$'\\x72m' x": Ask, "RM x": Ask, "/bin/Rm x": Ask, "=rm x": Deny, "p=rm; $p x": Ask, "\"$@\"": Ask,
		"git status $x": Allow, "echo $x": Allow, "ls *": Allow, "git log | head": Allow, "cat x > y": Allow, "rm $x": Deny, "a=$(git log); echo \"$a\"": Allow,
		// interpreters and what runs other commands
		"sh <<E\nx\nE": Ask, "echo x | bash": Ask, "bash x.sh": Ask, "python3 -c 'x'": Ask, "python3 x.py": Allow, "python3 <<E\nx\nE": Ask, "echo x | python3": Ask, "node -e x": Ask, "perl -pe x": Ask,
		"awk 'BEGIN{system(\"x\")}'": Ask, "awk '{print $1}' x": Allow, "sed 's/a/b/e' x": Ask, "sed -n '1e rm x' y": Ask, "sed -i 's/a/b/g' x": Allow, "xargs ls": Ask, "find . -name x": Allow,
		"find . -exec ls {} +": Ask, "find . -exec rm {} +": Deny, "env -S 'rm x'": Deny, "command . x": Ask, "env PATH=. ls": Ask, "env A=b ls": Allow, "eval ls": Ask, ". ./x": Ask, "source x": Ask, "trap x EXIT": Ask,
		"git -c alias.x='!rm y' x": Ask, "git -c user.name=x commit": Allow, "git submodule foreach x": Ask, "git rebase -x 'rm y'": Ask, "git bisect run x": Ask, "git config alias.x '!rm'": Ask,
		"git clone ext::x": Ask, "git push -u origin x": Allow, "tar --to-command=rm -xf x": Ask, "node --version": Allow, "python3 -m pytest": Allow, "make -j4": Allow, "timeout 5 bash x": Ask,
		// variables that steer, aliases, functions
		"PATH=. ls": Ask, "PATH=.; ls": Ask, "export PATH=.:$PATH": Ask, "BASH_ENV=x ls": Ask, "LD_PRELOAD=x ls": Ask, "A=1 ls": Allow, "export A=1": Allow, "for PATH in x; do ls; done": Ask,
		"alias ls=rm": Ask, "ls() { x; }": Ask, "hash -p /bin/rm ls": Ask, "read PATH": Ask, "printf -v PATH x": Ask, ": ${PATH:=x}": Ask, "set -euo pipefail": Allow, "shopt -s extglob": Ask,
		// what shells read differently
		"echo ${x:-<(rm y)}": Ask, "echo ${x:-<\\\n(rm y)}": Ask, "ls <(rm y)": Deny, "echo `ls`": Ask, "git commit -m \"$(cat <<'E'\nx y\nE\n)\"": Allow, "ls # x\\\nrm y": Ask, "ls \\\n-l": Allow,
		"cat <<E\nx\\\nE\nE": Ask, "cat <<$x\n$x": Ask, "ls\rx": Ask, "echo !(x)": Ask, "coproc ls": Ask, "ls &> x rm y": Ask, "echo $((x))": Ask, "echo $((1+2))": Allow, "[[ -f x ]]": Allow, "[[ -v x ]]": Ask,
		"[[ x -eq 0 ]]": Ask, "[[ 1 -eq 0 ]]": Allow, "((x))": Ask, "x='a[$(rm y)]'; ls": Ask, "echo ${!x}": Ask, "echo ${x@P}": Ask, "echo ${x[y]}": Ask, "echo ${x[0]} ${x:-y} ${#x} ${x%.go}": Allow,
		"for x in a b; do echo $x; done": Allow, "if ls; then git log; fi": Allow, "declare -i x=y": Ask, "echo $[x]": Ask,
	} {
		got := s.Decide(bash(command))
		if got.Effect != want {
			t.Errorf("%q: %v, want %v (%s)", command, got.Effect, want, got.Why)
		}
		if got.Effect == Ask && !strings.HasPrefix(got.Why, "a deny rule may match; the command cannot be read exactly: ") {
			t.Errorf("%q: %s", command, got.Why)
		}
	}
}

func TestMayMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"rm *", "rm\x00-f", true},
		{"rm *", "\x00", true},
		{"rm *", "ls \x00", false},
		{"rm", "r\x00m", true},
		{"rm", "r\x00x", false},
		{"a*b", "\x00c", false},
		{"a*b", "a\x00", true},
		{"a b c", "a \x00 c", true},
		{"a b c", "a \x00 d", false},
		{"", "\x00", true},
		{"*", "", true},
		{"a*c*e", "abcde", true},
		{"a*c", "\x00b", false},
		{"x*", "\x00y\x00", true},
	} {
		if got := mayMatch(c.pattern, c.text); got != c.want {
			t.Errorf("%q %q: %v", c.pattern, c.text, got)
		}
	}
}
