package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/manual"
	"betcode/cmd/betcode/internal/exit"
)

var updateManual = flag.Bool("update", false, "write docs/cli.md")

// TestManual: docs/cli.md agrees with the table of commands.
func TestManual(t *testing.T) {
	const file = "../../../../docs/cli.md"
	p := newProgram(Build{}, strings.NewReader(""), os.Stdout, os.Stderr, nil)
	want := manual.Markdown(p.app())
	if *updateManual {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/cli.md is not what the commands say: go test ./cmd/betcode/internal/cli -run TestManual -update")
	}
}

// TestManualPages: each command has its page with all its flags and no hidden one, and no line of text is read as a request.
func TestManualPages(t *testing.T) {
	p := newProgram(Build{Version: "1.2.3", Date: "2026-05-06T07:08:09Z"}, strings.NewReader(""), os.Stdout, os.Stderr, nil)
	app := p.app()
	pages := p.manualPages(app)
	for _, c := range app.Commands {
		page, ok := pages[filepath.Join("man1", "betcode-"+c.Name+".1")]
		if wanted := !c.Hidden && c.Name != "help" && c.Category != helpTopics; ok != wanted {
			t.Errorf("%s: page %t, wanted %t", c.Name, ok, wanted)
		}
		if !ok {
			continue
		}
		forEachCommand([]*cli.Command{c}, func(c *cli.Command) {
			for _, f := range c.VisibleFlags() {
				if name := strings.ReplaceAll("--"+f.Names()[0], "-", `\-`); !c.Hidden && len(f.Names()[0]) > 1 && !strings.Contains(page, name) {
					t.Errorf("the page of %s lacks %s", c.Name, name)
				}
			}
		})
	}
	if strings.Contains(pages[filepath.Join("man1", "betcode-events.1")], `\-\-sort`) {
		t.Error("the page of events has the hidden flag --sort")
	}
	if page := pages[filepath.Join("man1", "betcode-logs.1")]; strings.Contains(page, "default: 0") {
		t.Error("the page of logs names the default of a number that is not given")
	}
	requests := []string{`.\"`, ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".nf", ".fi"}
	for name, page := range pages {
		if strings.Contains(page, "__") || !strings.Contains(page, `"2026-05-06" "betcode 1.2.3"`) {
			t.Errorf("%s: %.200s", name, page)
		}
		for line := range strings.Lines(page) {
			if request, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(line, ".") && !slices.Contains(requests, request) {
				t.Errorf("%s: %q is no request", name, line)
			}
			if strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q is read as a request", name, line)
			}
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not installed: it has not read the pages")
		return
	}
	for name, page := range pages {
		c := exec.Command(groff, "-man", "-ww", "-K", "utf8", "-T", "utf8")
		c.Stdin = strings.NewReader(page)
		var complaint strings.Builder
		c.Stderr = &complaint
		if err := c.Run(); err != nil || complaint.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, &complaint)
		}
	}
}

// Pages take the place of links; nothing is written behind one. A directory has to be named.
func TestManualBehindLinks(t *testing.T) {
	directory, away := t.TempDir(), t.TempDir()
	if err := os.Symlink(away, filepath.Join(directory, "man1")); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := command(t, "", "__manual", directory); code == 0 {
		t.Error("pages were written into a directory behind a link")
	}
	if names, err := os.ReadDir(away); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if code, _, stderr := command(t, "", "__manual"); code != exit.Code(exit.Usage(os.ErrInvalid)) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
