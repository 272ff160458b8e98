package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commandsIn finds command lines of ours in a unit, a Dockerfile or a manifest: with
// spaces between the words, or as a list.
var commandsIn = regexp.MustCompile(`(?:^|[\s"'/\[=])betcode"?(?:,? +"?(?:daemon|health|-)[^\n|\]]*)`)

// TestPackaging: the commands and flags in samples exist.
func TestPackaging(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../../../../packaging", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, line := range commandsIn.FindAllString(string(text), -1) {
			words := strings.Fields(strings.NewReplacer(`"`, " ", ",", " ", "[", " ", "'", " ").Replace(line))
			found++
			p := newProgram(testBuild, strings.NewReader(""), os.Stdout, os.Stderr, nil)
			commands, path := p.app().Commands, path+": "+strings.Join(words, " ")
			flags := p.app().Flags
			for _, word := range words[1:] {
				if strings.HasPrefix(word, "-") {
					if flagNamed(flags, strings.TrimLeft(word, "-")) == nil {
						t.Errorf("%s: no flag %s", path, word)
					}
					continue
				}
				command := find(commands, word)
				if command == nil && len(commands) > 0 {
					t.Errorf("%s: no command %q", path, word)
					break
				}
				if command != nil {
					commands, flags = command.Subcommands, append(flags, command.Flags...)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 6 {
		t.Errorf("%d commands in all samples; how they are found is wrong", found)
	}
}
