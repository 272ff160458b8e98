package chat

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
	"mvdan.cc/sh/v3/shell"
)

// openEditor returns the command that opens the person's editor with a text, in a file that only this user can read.
func openEditor(dir, text string) tea.Cmd {
	words, err := editorWords(os.Getenv)
	if err != nil {
		return func() tea.Msg { return Edited{Err: err} }
	}
	f, err := os.CreateTemp(dir, "message-*.md") // mode 0600
	if err != nil {
		return func() tea.Msg { return Edited{Err: err} }
	}
	path := f.Name()
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		return func() tea.Msg { return Edited{Err: errors.Join(err, os.Remove(path))} }
	}
	return tea.ExecProcess(exec.Command(words[0], append(words[1:], path)...), func(err error) tea.Msg {
		defer os.Remove(path)
		if err != nil {
			return Edited{Err: fmt.Errorf("%s: %w", words[0], err)}
		}
		f, err := os.Open(path)
		if err != nil {
			return Edited{Err: err}
		}
		defer f.Close()
		changed, err := io.ReadAll(io.LimitReader(f, MaxMessage+1))
		return Edited{strings.TrimSuffix(string(changed), "\n"), err}
	})
}

// editorWords splits $VISUAL or $EDITOR as a shell does. No shell runs it, and nothing in it is expanded but variables.
func editorWords(getenv func(string) string) ([]string, error) {
	words, err := shell.Fields(cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi"), getenv)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read $VISUAL or $EDITOR: %w", err)
	case len(words) == 0:
		return nil, errors.New("$VISUAL and $EDITOR name no program")
	}
	return words, nil
}

// notification returns the sequences that draw attention: the bell, and the message of terminals that have one.
func notification(text string) string {
	text = "betcode: " + text
	switch program := os.Getenv("TERM_PROGRAM"); {
	case program == "iTerm.app", program == "WezTerm", program == "ghostty", os.Getenv("KITTY_WINDOW_ID") != "":
		return "\a\x1b]9;" + text + "\x1b\\"
	case os.Getenv("VTE_VERSION") != "", strings.HasPrefix(os.Getenv("TERM"), "foot"), strings.HasPrefix(os.Getenv("TERM"), "rxvt"):
		return "\a\x1b]777;notify;betcode;" + text + "\x1b\\"
	}
	return "\a"
}
