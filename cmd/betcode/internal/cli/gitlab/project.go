package gitlab

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"regexp"
	"strings"

	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
)

// originProject returns the path of the project that the working directory is a clone of.
func originProject(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "remote", "get-url", "origin").Output()
	if err != nil {
		return "", errNoProject
	}
	if project := projectOf(strings.TrimSpace(string(out))); project != "" {
		return project, nil
	}
	return "", errNoProject
}

// shortRemote matches the short form of an ssh remote: user@host:group/name.git.
var shortRemote = regexp.MustCompile(`^(?:[^/@:]+@)?[^/@:]+:([^:]+)$`)

// projectOf returns the path of the project in the URL of a remote; empty if there is none.
func projectOf(remote string) string {
	path := ""
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		path = u.Path
	} else if parts := shortRemote.FindStringSubmatch(remote); parts != nil {
		path = parts[1]
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if !strings.Contains(path, "/") {
		return ""
	}
	return path
}

// sheet shows one object: its title, its facts, its text.
func sheet(schema string, answer proto.Message, title, text string, facts [][2]string) (output.View, error) {
	return output.View{Schema: schema, Value: answer, Text: func(w io.Writer, l output.Look) error {
		fmt.Fprintln(w, l.Style().Bold(console.Line(title)))
		for _, fact := range facts {
			if fact[1] != "" {
				fmt.Fprintf(w, "%-10s %s\n", fact[0], console.Line(fact[1]))
			}
		}
		if text != "" {
			fmt.Fprintf(w, "\n%s\n", console.Text(text))
		}
		return nil
	}}, nil
}

// escapes matches the escape sequences in a log: colours, and the marks of its sections.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\[\]])|\r`)

// shown returns a job's log: unchanged for a program, and for a terminal without escape sequences.
func (p group) shown(log []byte) []byte {
	if !p.Terminal.Out {
		return log
	}
	return []byte(console.Text(string(escapes.ReplaceAll(log, nil))))
}
