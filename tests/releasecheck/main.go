package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"betcode/tests/kit"
)

func main() {
	cold := flag.Bool("cold", false, "build the second one with an empty build cache")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := check(ctx, *cold)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check builds twice, judges and compares.
func check(ctx context.Context, cold bool) error {
	root, err := os.MkdirTemp("", "bcrelease")
	if err != nil {
		return err
	}
	defer removeAll(root)
	commit, err := git(ctx, kit.Repository(), "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	var sums []string
	var problems []error
	var r release
	for i, at := range []string{"a", filepath.Join("a longer way", "b")} {
		clone := filepath.Join(root, at)
		env := os.Environ()
		if cold && i > 0 {
			env = append(env, "GOCACHE="+filepath.Join(root, "cache"))
		}
		if err := build(ctx, clone, env); err != nil {
			return err
		}
		if r, err = readRelease(filepath.Join(clone, "dist"), commit); err != nil {
			return err
		}
		problems = append(problems, judge(ctx, r)...)
		sums = append(sums, r.sums)
	}
	same := sums[0] == sums[1]
	if !same {
		problems = append(problems, fmt.Errorf("two builds differ:\n%s\n%s", sums[0], sums[1]))
	}
	fmt.Printf("release: archives=%d bytes=%d same=%t problems=%d\n", len(r.archives), r.size(), same, len(problems))
	return errors.Join(problems...)
}

// build clones this repository and builds its release, with the tools of this checkout.
func build(ctx context.Context, clone string, env []string) error {
	repository := kit.Repository()
	if _, err := git(ctx, repository, "clone", "--quiet", repository, clone); err != nil {
		return err
	}
	tools := filepath.Join(repository, ".cache", "bin")
	if err := os.MkdirAll(filepath.Join(clone, ".cache"), 0o700); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "make", "--no-print-directory", "release", "BIN="+tools, //nolint:gosec // of this checkout
		"-o", filepath.Join(tools, "goreleaser"), "-o", filepath.Join(tools, "cyclonedx-gomod")) // they are built, although the clone's files are newer
	build.Dir, build.Env, build.Stdout, build.Stderr = clone, env, os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("make release in %s: %w", clone, err)
	}
	return nil
}

func git(ctx context.Context, in string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...) //nolint:gosec // of this package
	command.Dir = in
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// removeAll removes a directory with a build cache, in which directories may be read-only.
func removeAll(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a temporary directory
		}
		return nil
	})
	_ = os.RemoveAll(root) // what is left is in a temporary directory
}
