package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
)

// Package is the SDK's name in the npm registry.
const Package = "@anthropic-ai/claude-agent-sdk"

// declarationsFile is the file of the package that is read; nothing of it is run.
const declarationsFile = "package/sdk.d.ts"

var versionNumber = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// errNoNPM reports that the SDK is not in the cache and that npm is missing to fetch it.
var errNoNPM = claudecli.ErrNoNPM

// ensure returns the sdk.d.ts of a version and the integrity of its package, from the
// cache .cache/sdk/<version> or from the registry. With an integrity given, a package
// that has another one is refused.
func ensure(ctx context.Context, version, integrity string, progress io.Writer) (text, found string, err error) {
	if !versionNumber.MatchString(version) {
		return "", "", fmt.Errorf("%q is not a version of three numbers", version)
	}
	dir := filepath.Join(kit.Repository(), ".cache", "sdk", version)
	archive, err := os.ReadFile(filepath.Join(dir, "package.tgz"))
	if errors.Is(err, os.ErrNotExist) {
		archive, err = fetch(ctx, dir, version, progress)
	}
	if err != nil {
		return "", "", err
	}
	sum := sha512.Sum512(archive)
	found = "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	if integrity != "" && found != integrity {
		return "", "", fmt.Errorf("%s@%s has integrity %s, pinned is %s", Package, version, found, integrity)
	}
	text, err = unpack(archive)
	return text, found, err
}

// fetch downloads the package with npm and keeps it in a directory.
func fetch(ctx context.Context, dir, version string, progress io.Writer) ([]byte, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("fetch %s@%s: %w", Package, version, errNoNPM)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make cache directory: %w", err)
	}
	temporary, err := os.MkdirTemp(dir, "partial-")
	if err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	defer os.RemoveAll(temporary)
	fmt.Fprintf(progress, "fetching %s@%s\n", Package, version)
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", temporary, Package+"@"+version)
	cmd.Dir, cmd.Stdout, cmd.Stderr = temporary, &out, &problems
	cmd.Env = claudecli.NPMEnv(temporary)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("npm pack %s@%s (is the npm registry reachable?): %w: %s", Package, version, err, problems.Bytes())
	}
	packed, err := filepath.Glob(filepath.Join(temporary, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return nil, fmt.Errorf("npm pack %s@%s left %d archives: %s", Package, version, len(packed), out.Bytes())
	}
	final := filepath.Join(dir, "package.tgz")
	if err := os.Rename(packed[0], final); err != nil { // atomic: others may fetch it too
		return nil, fmt.Errorf("keep the package: %w", err)
	}
	return os.ReadFile(final)
}

// unpack returns the declarations of a package.
func unpack(archive []byte) (string, error) {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", fmt.Errorf("unpack the SDK: %w", err)
	}
	files := tar.NewReader(plain)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("find %s in the SDK: %w", declarationsFile, err)
		}
		if header.Name != declarationsFile {
			continue
		}
		var b strings.Builder
		if _, err := io.Copy(&b, io.LimitReader(files, 64<<20)); err != nil {
			return "", fmt.Errorf("read %s: %w", declarationsFile, err)
		}
		return b.String(), nil
	}
}
