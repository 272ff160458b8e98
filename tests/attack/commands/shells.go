package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
)

// zshScript completes in an interactive zsh, one candidate after the other, and has a shell read each line that results.
const zshScript = `zmodload zsh/zpty
zpty -b z 'zsh -f -i'
drain() { sleep 0.05; while zpty -rt z out; do :; done }
zpty -w z 'autoload -U compinit; compinit -D -u; source <(betcode completion zsh); setopt menucomplete; bindkey "^I" menu-complete; LISTMAX=-1'
zpty -w z 'tell() { print -r -- "$BUFFER" >>lines; }; zle -N tell; bindkey "^X" tell; bindkey "^G" kill-whole-line; touch ready'
for i in {1..100}; do drain; [[ -e ready ]] && break; done
for round in {1..20}; do
  zpty -w -n z 'betcode session show '
  for i in {1..40}; do zpty -w -n z $'\t'; drain; zpty -w -n z $'\x18'; drain; done
  zpty -w -n z $'\x07'; drain
  [[ -e lines ]] && (( $(sort -u lines | wc -l) > 12 )) && break
done
zpty -d z
sort -u lines | while IFS= read -r line; do
  [[ "$line" == "betcode session show "* ]] && eval "print -r -- ${line#betcode session show }" >>inserted </dev/null
done
wc -l <inserted`

// fishScript asks fish for what it would offer, and reads each candidate as fish inserts it.
const fishScript = `source (betcode completion fish | psub)
for i in (seq 100)
    set found (complete -C 'betcode session show ')
    test (count $found) -gt 12; and break
end
for line in $found
    set value (string split -m 1 \t -- $line)[1]
    eval "echo "(string escape -- $value) >>inserted.fish </dev/null
end
count $found`

// otherShells completes the names of sessions in zsh and fish.
func otherShells(s *siege.Siege, ran string) {
	for shell, script := range map[string]string{"zsh": zshScript, "fish": fishScript} {
		if _, err := exec.LookPath(shell); err != nil {
			s.Untried(shell + " runs nothing of what it completes")
			continue
		}
		command := exec.CommandContext(s, shell, "-c", script)
		command.Env, command.Dir = append(s.World.Environ(), "TERM=xterm", "PATH="+filepath.Dir(s.World.Binary)+":"+os.Getenv("PATH")), s.World.Project
		out, err := command.CombinedOutput()
		last := strings.TrimSpace(string(out))
		last = strings.TrimSpace(last[strings.LastIndexByte(last, '\n')+1:])
		s.Held(shell+" completes", err == nil && len(last) > 1, "%v: %q", err, out) // ten or more
		s.Held(shell+" runs nothing of what it completes", !s.Exists(ran) && !s.Exists(s.Project("ran")), "a name was run")
	}
}
