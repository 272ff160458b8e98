package protect

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A repository has settings and hooks that git runs. Those of the repository that a session
// works in are judged by trust in its directory. Below it there may be others: working trees
// of their own, and bare repositories, which are plain files for all programs but git and can
// be part of a clone. When a call runs git there, the programs that git would run are searched.

// maxSettings bounds the part of a settings file that is read, in bytes.
const maxSettings = 1 << 20

func readSettings(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, fs.ErrInvalid
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(content) > maxSettings {
		err = fs.ErrInvalid
	}
	return bytes.ReplaceAll(content, []byte("\r"), nil), err
}

// executingNames are the last parts of the settings in executing, and sections of it that
// count as a whole.
var (
	executingNames = strings.Fields("fsmonitor sshcommand editor pager askpass gitproxy clean smudge process command textconv external difffilter driver cmd helper program " +
		"templatedir uploadpack receivepack vcs packobjectshook alternaterefscommand tunnel allow")
	executingSections = strings.Fields("alias include includeif pager credential mergetool difftool browser man guitool instaweb sendemail")
	harmlessSettings  = strings.Fields("fsmonitor=true fsmonitor=false fsmonitor=1 fsmonitor=0 fsmonitor= clean=git-lfsclean--%f smudge=git-lfssmudge--%f process=git-lfsfilter-process")
	sectionHead       = regexp.MustCompile(`^\[[ \t]*([A-Za-z0-9.-]+)`)
	settingName       = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?`)
)

// runningSettings returns the first line of git's settings that makes git run a program, and the
// directories of hooks in them. Anything that may be a setting counts as one, also within others.
func runningSettings(content string) (found string, hooks []string) {
	for line := range strings.SplitSeq(strings.TrimPrefix(content, "\uFEFF"), "\n") {
		line = strings.Trim(line, " \t\v\f")
		if m := sectionHead.FindStringSubmatch(line); m != nil {
			name, _, _ := strings.Cut(strings.ToLower(m[1]), ".")
			if slices.Contains(executingSections, name) {
				return line, nil
			}
		}
		candidates := []string{line}
		for n := range len(line) { // a setting may follow the head of its section
			if line[n] == ']' && line[0] == '[' {
				candidates = append(candidates, strings.Trim(line[n+1:], " \t"))
			}
		}
		for _, c := range candidates {
			m := settingName.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			name, value := strings.ToLower(m[1]), m[2]
			switch {
			case slices.Contains(harmlessSettings, name+"="+strings.Join(strings.Fields(value), "")):
			case slices.Contains(executingNames, name), name == "update" && strings.Contains(value, "!"):
				return c, nil
			case name == "hookspath":
				if strings.ContainsAny(value, "\\%#;~") {
					return c, nil
				}
				hooks = append(hooks, strings.Trim(value, `" `))
			}
		}
	}
	return "", hooks
}
