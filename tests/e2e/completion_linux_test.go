package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// odd are names of sessions that mean something to shells. Each begins with two letters that no other begins
// with, and no id either: those are hexadecimal.
var odd = []string{
	"rr two words", "ss:colon:x", "tt'quote", `uu"double`, "vv$(touch ran)", "ww`touch ran`", `gg\back\\x`, "hh*?", "ii!bang !!",
	"jj;touch ran", "kk~root", "ll[x]{a,b}", "mm%h\u00e9", "nn=eq#hash", "oo&|<>", "pp $HOME", "qq\u2019;touch ran;\u2018",
}

// typed are beginnings of lines, with the name that a shell has to find.
func typed() map[string]string {
	all := map[string]string{
		`attach rr\ tw`: odd[0], `attach "rr tw`: odd[0], `attach 'rr tw`: odd[0], `attach ss:c`: odd[1], `attach ss:colon:`: odd[1],
		`attach "ss:colon:`: odd[1], `attach "uu\"d`: odd[3], `attach "vv\$(t`: odd[4],
	}
	for _, name := range odd {
		for _, quote := range []string{"", `"`, "'"} {
			all["attach "+quote+name[:2]] = name
		}
	}
	return all
}

// shell is a shell that completes.
type shell struct {
	start  func(dir string) *exec.Cmd // its prompt is "ready> "
	config map[string]string          // files of dir
}

var shells = map[string]shell{
	"bash": {
		func(dir string) *exec.Cmd {
			return exec.Command("bash", "--noprofile", "--rcfile", filepath.Join(dir, "rc"), "-i")
		},
		map[string]string{"rc": "PS1='ready> '; source <(betcode completion bash); bind 'set enable-bracketed-paste off'\n"},
	},
	"zsh": {
		func(dir string) *exec.Cmd {
			c := exec.Command("zsh", "-d", "-i")
			c.Env = []string{"ZDOTDIR=" + dir}
			return c
		},
		map[string]string{".zshrc": "autoload -Uz compinit; compinit -u -D; PS1='ready> '; source <(betcode completion zsh)\n"},
	},
	"fish": {
		func(dir string) *exec.Cmd {
			c := exec.Command("fish", "--private", "-i")
			c.Env = []string{"XDG_CONFIG_HOME=" + dir}
			return c
		},
		map[string]string{"fish/config.fish": "function fish_prompt; echo -n 'ready> '; end; function fish_greeting; end; betcode completion fish | source\n"},
	},
}

// A key completes names that mean something to a shell: the command gets the name, and the shell runs nothing of it.
func TestShellsCompleteNames(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	for _, name := range odd {
		s.cli(0, "new", "--name", name)
	}
	for name, sh := range shells {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("there is no %s here", name)
			}
			(&story{t, s.world, s.daemon}).completes(sh)
		})
	}
}

// completes types each beginning, Tab and Enter, until the program gets the name: the daemon may be late for one Tab.
func (s *story) completes(sh shell) {
	dir := s.TempDir()
	got := filepath.Join(dir, "got")
	stand := "#!/bin/sh\ncase $1 in __complete*|completion) exec '" + s.world.Binary + "' \"$@\";; esac\n" +
		"{ printf '<%s>' \"$@\"; echo; } >>'" + got + "'\n"
	files := map[string]string{"bin/betcode": stand}
	for name, text := range sh.config {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			s.Fatal(err)
		}
	}
	cmd := sh.start(dir)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	screen, _ := s.screenOf(200, 40, cmd)
	s.shows(screen, "ready>")
	s.Cleanup(func() {
		if s.Failed() {
			s.Log(screen.Shown())
		}
	})
	for line, name := range typed() {
		want := "<attach><" + name + ">"
		ran := ""
		s.eventually(line+" becomes "+want, func() bool {
			before, _ := os.ReadFile(got)
			s.types(screen.Terminal, "betcode "+line+"\t\r")
			for range 200 { // a line with an open quote is not run
				now, _ := os.ReadFile(got)
				if ran = strings.TrimSpace(string(now[len(before):])); ran == want {
					return true
				}
				if ran != "" {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			s.types(screen.Terminal, "\x03")
			return false
		})
	}
	for _, name := range []string{"ran", ";touch ran"} {
		if _, err := os.Lstat(filepath.Join(s.world.Project, name)); err == nil {
			s.Error("the shell ran what it completed")
		}
	}
	s.types(screen.Terminal, "exit\r")
}
