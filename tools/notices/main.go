// Notices writes THIRD_PARTY_NOTICES.md: the licence of every module that is linked into the command, with its text.
//
// It asks the go command what is linked on each platform that is shipped, reads the licence files beside the linked
// packages, and refuses a licence it does not know. With -check it writes nothing and fails when the file is stale.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

const (
	command = "./cmd/betcode"
	output  = "THIRD_PARTY_NOTICES.md"
)

// shipped are the platforms whose binaries the notices speak for.
var shipped = []string{"linux", "darwin", "windows"}

func main() {
	root := flag.String("module", ".", "directory of the module whose command is looked at")
	check := flag.Bool("check", false, "fail if the file is not what would be written")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	modules, err := linked(root)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := write(&page, modules); err != nil {
		return err
	}
	path := filepath.Join(root, output)
	if !check {
		return os.WriteFile(path, page.Bytes(), 0o644)
	}
	switch old, err := os.ReadFile(path); {
	case err != nil:
		return err
	case !bytes.Equal(old, page.Bytes()):
		return errors.New(output + " is not what is linked; run `make notices`")
	}
	return nil
}

// module is a module that is linked, with the licence files found beside its linked packages.
type module struct {
	Path, Version string
	files         map[string]string // name below the module's directory, to text
}

// linked lists the modules that end up in the command on any of the shipped platforms.
func linked(root string) ([]module, error) {
	found := map[string]*module{}
	for _, system := range shipped {
		packages, err := list(root, system)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &module{Path: p.Module.Path, Version: p.Module.Version, files: map[string]string{}}
				found[m.Path] = m
			}
			if err := m.collect(p.Module.Dir, p.Dir); err != nil {
				return nil, err
			}
		}
	}
	modules := make([]module, 0, len(found))
	for _, m := range found {
		if len(m.files) == 0 {
			return nil, fmt.Errorf("%s %s has no licence file", m.Path, m.Version)
		}
		modules = append(modules, *m)
	}
	sort.Slice(modules, func(i, j int) bool { return modules[i].Path < modules[j].Path })
	return modules, nil
}

// listed is what `go list -json` says about a package, as far as it matters here.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func list(root, system string) ([]listed, error) {
	ask := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", command)
	ask.Dir = root
	ask.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64", "GOOS="+system)
	ask.Stderr = os.Stderr
	answer, err := ask.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w", system, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(answer)); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		packages = append(packages, p)
	}
}

// collect reads the licence files from a package's directory up to the module's: a copied package brings its own.
func (m *module) collect(top, dir string) error {
	for ; strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !isLicence(e.Name()) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			name, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m.files[filepath.ToSlash(name)] = tidy(string(text))
		}
	}
	return nil
}

func isLicence(name string) bool {
	switch filepath.Ext(name) {
	case "", ".md", ".txt":
	default:
		return false
	}
	upper := strings.ToUpper(name)
	for _, stem := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} {
		if strings.HasPrefix(upper, stem) {
			return true
		}
	}
	return false
}

// tidy drops what differs between copies of one text and means nothing.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
