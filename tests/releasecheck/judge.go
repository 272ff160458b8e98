package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// most bounds a binary, in bytes.
const most = 45_000_000

// targets are the systems of a release.
var targets = []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"}

// wanted are files of every archive.
var wanted = []string{
	"betcode", "LICENSE", "THIRD_PARTY_NOTICES.md", "README.md", "CHANGELOG.md", "docs/guide.md",
	"packaging/systemd/betcode.service", "packaging/launchd/betcode.plist",
	"share/man/man1/betcode.1", "share/man/man1/betcode-doctor.1", "share/man/man7/betcode-exit-codes.7",
	"share/bash-completion/completions/betcode", "share/zsh/site-functions/_betcode",
	"share/fish/vendor_completions.d/betcode.fish", "share/pwsh/completions/_betcode.ps1",
}

// release is the content of dist after a build.
type release struct {
	commit   string
	sums     string            // checksums.txt
	archives map[string][]byte // by target
	bills    map[string][]byte // by target: the bill of materials
	files    map[string][]byte // all of them, by name
}

// readRelease reads the files that checksums.txt names.
func readRelease(dist, commit string) (release, error) {
	r := release{commit: commit, archives: map[string][]byte{}, bills: map[string][]byte{}, files: map[string][]byte{}}
	sums, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		return r, err
	}
	r.sums = string(sums)
	for line := range strings.Lines(r.sums) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return r, fmt.Errorf("checksums.txt: %q", line)
		}
		name := fields[1]
		content, err := os.ReadFile(filepath.Join(dist, filepath.Base(name)))
		if err != nil {
			return r, err
		}
		r.files[name] = content
		for _, target := range targets {
			switch {
			case strings.HasSuffix(name, "_"+target+".tar.gz"):
				r.archives[target] = content
			case strings.HasSuffix(name, "_"+target+".cdx.json"):
				r.bills[target] = content
			}
		}
	}
	return r, nil
}

// size is that of all archives.
func (r release) size() (n int) {
	for _, content := range r.archives {
		n += len(content)
	}
	return n
}

// judge returns the problems of a release.
func judge(ctx context.Context, r release) (problems []error) {
	for line := range strings.Lines(r.sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := sha256.Sum256(r.files[name]); hex.EncodeToString(got[:]) != sum {
			problems = append(problems, fmt.Errorf("%s: its checksum is wrong", name))
		}
	}
	for _, target := range targets {
		add := func(err error) {
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", target, err))
			}
		}
		add(judgeBill(r.bills[target]))
		binary, err := judgeArchive(r.archives[target])
		add(err)
		if len(binary) == 0 {
			continue
		}
		if len(binary) > most {
			add(fmt.Errorf("the binary has %d bytes, more than %d", len(binary), most))
		}
		add(judgeBinary(target, binary))
		if target == runtime.GOOS+"_"+runtime.GOARCH {
			add(runs(ctx, binary, r.commit))
		}
	}
	return problems
}

// judgeBill wants a list of components without the time or the machine at which it was made.
func judgeBill(bill []byte) error {
	var b struct {
		Format   string `json:"bomFormat"`
		Serial   string `json:"serialNumber"`
		Metadata struct {
			Timestamp string `json:"timestamp"`
		} `json:"metadata"`
		Components []struct {
			Name, Version string
		} `json:"components"`
	}
	if err := json.Unmarshal(bill, &b); err != nil {
		return fmt.Errorf("bill of materials: %w", err)
	}
	grpc := false
	for _, c := range b.Components {
		grpc = grpc || c.Name == "google.golang.org/grpc" && c.Version != ""
	}
	if b.Format != "CycloneDX" || !grpc {
		return fmt.Errorf("bill of materials: format %q, %d components", b.Format, len(b.Components))
	}
	if b.Serial != "" || b.Metadata.Timestamp != "" {
		return fmt.Errorf("bill of materials: it depends on the build: serial %q, time %q", b.Serial, b.Metadata.Timestamp)
	}
	return nil
}

// judgeArchive looks at each entry of an archive, and returns the binary.
func judgeArchive(archive []byte) (binary []byte, err error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if !unpacked.ModTime.IsZero() || unpacked.Name != "" {
		err = fmt.Errorf("archive: its header has the time %v, name %q", unpacked.ModTime, unpacked.Name)
	}
	var names []string
	var at time.Time
	wrong := 0
	for entries := tar.NewReader(unpacked); ; {
		h, next := entries.Next()
		if errors.Is(next, io.EOF) {
			break
		}
		if next != nil {
			return nil, errors.Join(err, fmt.Errorf("archive: %w", next))
		}
		if at.IsZero() {
			at = h.ModTime
		}
		_, name, _ := strings.Cut(path.Clean(h.Name), "/") // all is in one directory
		names = append(names, name)
		if name == "betcode" {
			if binary, next = io.ReadAll(io.LimitReader(entries, 2*most)); next != nil {
				return nil, errors.Join(err, next)
			}
		}
		mode := modeOf(h.Typeflag, name)
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" || !h.ModTime.Equal(at) || h.Mode&0o7777 != mode {
			if wrong++; wrong > 3 { // they have one reason
				continue
			}
			err = errors.Join(err, fmt.Errorf("archive: %s belongs to %d (%s) and %d (%s), time %v, mode %o instead of %o", h.Name, h.Uid, h.Uname, h.Gid, h.Gname, h.ModTime, h.Mode&0o7777, mode))
		}
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			err = errors.Join(err, fmt.Errorf("archive: %s is missing", name))
		}
	}
	return binary, err
}

// modeOf is the mode that an entry should have.
func modeOf(kind byte, name string) int64 {
	if kind == tar.TypeDir || name == "betcode" {
		return 0o755
	}
	return 0o644
}

// judgeBinary wants a program for the target that needs nothing but its system.
func judgeBinary(target string, binary []byte) error {
	if strings.HasPrefix(target, "darwin") {
		f, err := macho.NewFile(bytes.NewReader(binary))
		if err != nil {
			return fmt.Errorf("binary: %w", err)
		}
		if want := map[string]macho.Cpu{"darwin_amd64": macho.CpuAmd64, "darwin_arm64": macho.CpuArm64}[target]; f.Cpu != want || f.Type != macho.TypeExec {
			return fmt.Errorf("binary: it is a %v for %v", f.Type, f.Cpu)
		}
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return fmt.Errorf("binary: %w", err)
	}
	if want := map[string]elf.Machine{"linux_amd64": elf.EM_X86_64, "linux_arm64": elf.EM_AARCH64}[target]; f.Machine != want {
		return fmt.Errorf("binary: it is for %v", f.Machine)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("binary: it is not static: it has a segment %v", p.Type)
		}
	}
	return nil
}

// runs runs the program, which prints the commit it was built from.
func runs(ctx context.Context, binary []byte, commit string) error {
	dir, err := os.MkdirTemp("", "bcrelease")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "betcode")
	if err := os.WriteFile(program, binary, 0o700); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, "version", "-o", "json")
	command.Env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "BETCODE_SOCKET=" + filepath.Join(dir, "s")}
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), commit) {
		return fmt.Errorf("run it: %w\n%s", errors.Join(err, errors.New("it does not print its commit "+commit)), out)
	}
	return nil
}
