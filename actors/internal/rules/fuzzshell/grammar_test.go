package fuzzshell

import (
	"math/rand/v2"
	"strings"
)

// bin is the placeholder for the directory of the stubs in a command.
const bin = "@BIN@"

// maker makes up commands.
type maker struct {
	*rand.Rand
	depth int
}

// command returns command n of a seed.
func command(seed uint64, n int) string {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, uint64(n)))}
	text := m.list()
	if m.IntN(3) == 0 {
		text = m.mutate(text)
	}
	return text
}

func (m *maker) pick(texts ...string) string { return texts[m.IntN(len(texts))] }

// one returns what one of some rules makes.
func (m *maker) one(rules ...func() string) string { return rules[m.IntN(len(rules))]() }

func (m *maker) list() string {
	if m.depth++; m.depth > 4 {
		m.depth--
		return "git x"
	}
	defer func() { m.depth-- }()
	var b strings.Builder
	for n := 1 + m.IntN(3); n > 0; n-- {
		if m.IntN(4) == 0 {
			b.WriteString(m.compound())
		} else {
			b.WriteString(m.simple())
		}
		if n > 1 {
			b.WriteString(m.pick(" && ", " || ", "; ", "\n", " | ", "&&", ";", "|", " &\n", " & ", " |& ", "\n\n", " \\\n", "\\\n", " # c\n", " # c \\\n",
				" #\\\n", "\r\n", " ;\n", " |\n", " &&\n ", "\t;\t", " &! ", " ;; "))
		}
	}
	return b.String() + m.pick("", "", "", "", "", "\n", ";", " &", " #", " \\", " # x\\\n"+m.attack())
}

// attack is a command that must not run.
func (m *maker) attack() string {
	return m.program("rm") + m.pick(" x", " -rf x", "", "\tx", "${IFS}x", "$IFS-f x", "<x", ">y", " $x", " {x,y}")
}

// program disguises the name of a program.
func (m *maker) program(name string) string {
	head, tail := name[:1], name[1:]
	return m.pick(name, name, name, name, head+"''"+tail, head+`\`+tail, `\`+name, "'"+name+"'", `"`+name+`"`, "$'"+name+"'", `$"`+name+`"`,
		bin+"/"+name, head+"\\\n"+tail, head+"$y"+tail, head+"${y}"+tail, "$p", "${p}", `"$p"`, "${z:-"+name+"}", "{"+name+",x}", head+"{"+tail+",x}", head+"?", head+"*",
		bin+"/"+head+"?", bin+"/"+head+"["+tail+"]", "$(echo "+name+")", "`echo "+name+"`", "="+name, "~/"+name, "$'\\x"+hex(head[0])+tail+"'", "!"+name, "! "+name,
		"command "+name, "env "+name, "exec "+name, "builtin "+name, "time "+name, "- "+name, "noglob "+name, "repeat 1 "+name, "xargs "+name, "eval "+name,
		"sh -c '"+name+" x'", "A=1 "+name, "A=1 B=\"$(x)\" "+name, "<x "+name, ">y "+name, "2>&1 "+name, "$@"+name, "$*"+name, head+"$@"+tail, name+"\u00a0", "\u3000"+name)
}

func hex(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

// simple is a command that is mostly harmless.
func (m *maker) simple() string {
	if m.IntN(12) == 0 {
		return m.attack()
	}
	var words []string
	switch m.IntN(12) {
	case 0:
		words = []string{m.pick("x=1", "x=$(git x)", "p=rm", "p=rm\n", "x='a["+m.substitution()+"]'", "a=(x y)", "a["+m.word()+"]=1", "PATH=.", "IFS=m", "x+=1", "alias git=rm\n",
			"set -- rm x\n", "export p=rm\n", "declare -i x="+m.subscript(), "hash -p "+bin+"/rm git\n", "git() { "+m.attack()+"; }\n", "shopt -s extglob\n", "set -k\n")}
	case 1:
		return m.builtin()
	case 2:
		return "[[ " + m.pick("-v ", "-n ", "! -z ", "-f ", "") + m.word() + m.pick("", " -eq 0", " == x", " =~ x", " -lt "+m.word(), " && x", " < x") + " ]]"
	case 3:
		words = []string{m.pick("cat", "ls", "tee", "sh", "bash -s", "python3 -", "xargs", "env", "sed -n p", "find . -exec", "awk 1"), m.word()}
	}
	words = append(words, m.pick("git", "git", "git", "git", "echo", "echo", "ls", "true", ":", "printf %s"))
	for n := m.IntN(4); n > 0; n-- {
		words = append(words, m.word())
	}
	text := strings.Join(words, m.pick(" ", " ", " ", " ", "\t", "  ", " \\\n ", " \\\n"))
	if m.IntN(6) == 0 {
		text += m.redirection()
	}
	return text
}

// builtin is one that may evaluate what it is given.
func (m *maker) builtin() string {
	return m.pick("printf -v ", "printf %d ", "printf '%s' ", "test -v ", "[ -v ", "unset ", "unset -v ", "read ", "read -r x ", "mapfile ", "readarray -t ", "wait -n -p ", "getopts x ",
		"declare ", "typeset -i ", "local ", "export ", "readonly ", "let ", "test ", "[ ", "exit ", "return ", "shift ", "echo ", "cd ", "trap ", "eval ", ". ", "source ",
		"print -v ", "integer ", "command ", "ulimit ", "umask ", "set ", "print -P ") + m.pick(m.subscript(), m.subscript(), m.word(), "'"+m.attack()+"'") +
		m.pick("", " -eq 0", " ]", " x", " = x ]", " -eq 0 ]", " EXIT")
}

// substitution runs a command in the middle of a word.
func (m *maker) substitution() string {
	a := m.attack()
	if m.IntN(4) == 0 {
		a = m.list()
	}
	return m.pick("$("+a+")", "$("+a+")", "`"+a+"`", "${x:-$("+a+")}", "${x:-<("+a+")}", "${x:-<\\\n("+a+")}", "<("+a+")", ">("+a+")", "=("+a+")", "$(( a["+"$("+a+")] ))",
		"$[ $("+a+") ]", "${a[$("+a+")]}", "${x:$("+a+")}", "${x/$("+a+")/}", "${ "+a+"; }", "${|"+a+";}", "$\\\n("+a+")", "$(\n"+a+"\n)", "<\\\n("+a+")", "${x@P}", "${!x}",
		"$((x))", "*(e:'"+a+"':)", "${(e)x}", "$(<x)", "\"${x:-`"+a+"`}\"")
}

// subscript is a name that runs a command where it is evaluated.
func (m *maker) subscript() string {
	s := "a[" + m.substitution() + "]"
	return m.pick("'"+s+"'", "'"+s+"'", s, `"a[\$(rm x)]"`, "'x[y[$(rm x)]]'", "a[0]", "x["+s+"]", "'"+s+"=1'", `a\[\$\(rm\ x\)\]`)
}

func (m *maker) word() string {
	return m.one(m.plain, m.plain, m.plain, m.quoted, m.quoted, m.substitution, func() string { return m.plain() + m.quoted() }, m.subscript)
}

func (m *maker) plain() string {
	return m.pick("x", "-v", "--x=y", "status", "HEAD~1", "HEAD^", "a*", "?", "[a-z]", "./x", "a,b", "x@y:z", "{a,b}", "{1..3}", "~", "~/x", "~root", "!", "!!", "#", "#x", "a#b", "=x", "x=", "x=~",
		"%1", "$x", "$1", "$*", "$@", "$#", "$?", "$$", "$-", "$!", "${x}", "${#x}", "${x:-y}", "\\x", "\\ ", "\\\n", "\\", "\\$x", "\\`", "\\;", "\\&", "\\|", "\\(", "\\'", "\\\"", "\u00a0", "\u3000", "é", "\x01",
		"\r", "\x7f", "\v", "\f", "x\ry", "}", "{", "{}", "]", "[", "!(x)", "@(rm|x)", "+(x)", "in", "do", "if", "rm", "2", "1>", "--", "-", "+x", ":", "^x", "a^b", "<1-2>")
}

func (m *maker) quoted() string {
	inner := m.pick("x", "a b", "a\nb", "$x", "#", "\\", "\\\n", "\\\\", "!x", "*", "`", "$", "$(", "a[0]", "é", "\x01", "\r", "\u00a0", ";rm x;", "&&rm x", "\nrm x\n", "x\\", "\t", m.substitution())
	return m.pick("'"+inner+"'", `"`+inner+`"`, `"`+inner+`"`, "$'"+inner+"'", `$"`+inner+`"`, `""`, `''`, `"x'y"`, `'x"y'`, "\"\\"+inner+"\"", "$'\\''", "$'\\'\\n'")
}

func (m *maker) redirection() string {
	end := m.pick("E", "E", "'E'", "\"E\"", "\\E", "E\\\n", "$E", "'E F'", "E'F'", "-", "''", "\"E\\\n\"")
	plain := strings.NewReplacer("'", "", `"`, "", `\`, "", "\n", "").Replace(end)
	body := m.pick("x\n", "", m.substitution()+"\n", "x\\\n", "\\"+plain+"\n", "x\\\n"+plain+"\n"+m.attack()+"\n", "\t", plain+" \n", "$x\n", "`\n", "'\n", "\"\n", "\\$(rm x)\n", "#\n", plain+")\n")
	return m.pick(" > /dev/null", " 2>&1", " 2>/dev/null", " </dev/null", " &>/dev/null", " >&2", " &>/dev/null rm x", " 10>&1", " >y", " >>y", " <x", " <>y", " >|y", " >&y", " 2>&-", " <&0", " {p}>y",
		" <<< "+m.word(), " <<< 'rm x'", " 2>& 1", " >!y", " <<"+end+"\n"+body+plain+"\n", " <<"+end+"\n"+body+plain+"\n", " <<-"+end+"\n\t"+body+"\t"+plain+"\n", " << "+end+"\n"+body, " <<"+end+" | sh\nrm x\n"+plain+"\n",
		" << "+end+" <<F\n"+body+plain+"\n"+m.attack()+"\nF\n", " > "+m.substitution(), " | sh", " | bash -s", " | xargs rm", " | while read x; do $x; done")
}

func (m *maker) compound() string {
	l := m.list()
	return m.pick("( "+l+" )", "("+l+")", "{ "+l+"; }", "{ "+l+"\n}", "if "+l+"; then "+l+"; fi", "until "+l+"; do git x; done", "for x in "+m.word()+"; do "+l+"; done", "for p in rm; do $p x; done",
		"for ((i=0;i<1;i++)); do "+l+"; done", "for ((i="+m.subscript()+";0;)); do :; done", "case "+m.word()+" in "+m.word()+") "+l+";; *) "+l+";; esac", "case x in (x) "+l+" ;& y) "+l+";; esac",
		"f() { "+l+"; }; f", "function f { "+l+"; }; f x", "f() { \"$@\"; }; f rm x", "git() { "+l+"; }; git x", "coproc "+l, "coproc x { "+l+"; }", "time "+l, "! "+l, "select x in a; do "+l+"; break; done",
		"(("+m.subscript()+"))", "((x="+m.word()+"))", "echo \"$("+l+")\"", "x=$("+l+") git", "eval '"+strings.ReplaceAll(l, "'", "")+"'", "if true { "+l+" }", "() { "+l+" }", "repeat 1 { "+l+" }",
		"foreach x (a) { "+l+" }", "{ "+l+" } always { git }", "while false; do "+l+"; done", "p=rm; $p x", "x='rm x'; $x", "x='a[$(rm x)]'; echo $((x))", "x='a[$(rm x)]'; [ x -eq 0 ]", "x='$(rm x)'; echo ${x@P}",
		"echo 'rm x' | sh", "echo rm x | xargs -I{} sh -c {}", "trap 'rm x' EXIT", "alias git=rm\ngit x", "PATH="+bin+"/d:$PATH; git x", "printf 'rm x' > git; . ./git", "echo a |& "+l, "git x & "+l+"; wait")
}

// mutate changes some bytes of a command.
func (m *maker) mutate(text string) string {
	signs := []string{`\`, "\n", "\\\n", "'", `"`, "#", "\r", "\x01", "\u00a0", "$", "`", "(", ")", "{", "}", "~", "!", "*", "[", "]", ";", "&", "|", "<", ">", "=", " ", "\t", "0", "<(", "$(", "<<E\n", "\nE\n", "rm x", "((", "[["}
	for n := 1 + m.IntN(3); n > 0; n-- {
		at := m.IntN(len(text) + 1)
		switch m.IntN(4) {
		case 0:
			end := min(len(text), at+1+m.IntN(3))
			text = text[:at] + text[end:]
		case 1:
			end := min(len(text), at+m.IntN(8))
			text = text[:end] + text[at:]
		default:
			text = text[:at] + signs[m.IntN(len(signs))] + text[at:]
		}
	}
	return strings.ToValidUTF8(text, "")
}
