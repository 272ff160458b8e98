package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"betcode/messages"
	"betcode/tests/kit"
)

// What the past is made by: another one is made again.
var (
	//go:embed past.go
	pastSource string
	//go:embed history.go
	historySource string
)

// prepared returns where the past of so many sessions is kept between runs.
func prepared(sessions int) string {
	made := sha256.Sum256([]byte(pastSource + historySource))
	return filepath.Join(kit.Repository(), ".cache", "bench-cli", fmt.Sprintf("%d-%x", sessions, made[:6]))
}

// keptDirectories are the directories of the state of a daemon that are prepared.
var keptDirectories = []string{"journal", "search"}

// idsFile has the ids of the prepared sessions, the oldest first.
const idsFile = "sessions.json"

// placePast copies the prepared history into a world, and generates it first if there is none. It
// returns the ids of the sessions.
func placePast(ctx context.Context, w *kit.World, sessions int) (ids []messages.SessionID, err error) {
	from := prepared(sessions)
	if _, err := os.Stat(filepath.Join(from, idsFile)); err != nil {
		if err := makePast(ctx, w, from, sessions); err != nil {
			return nil, err
		}
	}
	for _, name := range keptDirectories {
		at := filepath.Join(w.StateDir(), name)
		if err := os.RemoveAll(at); err != nil {
			return nil, err
		}
		if err := os.CopyFS(at, os.DirFS(filepath.Join(from, name))); err != nil {
			return nil, fmt.Errorf("copy the past: %w", err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(from, idsFile))
	if err != nil {
		return nil, err
	}
	return ids, json.Unmarshal(raw, &ids)
}

// makePast writes the journal of a world, lets a daemon index it, and keeps both.
func makePast(ctx context.Context, w *kit.World, at string, sessions int) error {
	began := time.Now()
	fmt.Printf("writing %d sessions, once for this and later runs\n", sessions)
	ids, err := writePast(filepath.Join(w.StateDir(), keptDirectories[0]), sessions)
	if err != nil {
		return err
	}
	fmt.Printf("indexing them, after %s\n", time.Since(began).Round(time.Second))
	d, err := w.Start(ctx)
	if err != nil {
		return err
	}
	defer d.Kill()
	if err := d.Indexed(ctx); err != nil {
		return err
	}
	if _, err := d.Stop(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // it is no secret
		return err
	}
	making, err := os.MkdirTemp(filepath.Dir(at), "making")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	for _, name := range keptDirectories {
		if err := os.CopyFS(filepath.Join(making, name), os.DirFS(filepath.Join(w.StateDir(), name))); err != nil {
			return fmt.Errorf("keep the past: %w", err)
		}
	}
	raw, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(making, idsFile), raw, 0o600); err != nil {
		return err
	}
	fmt.Printf("prepared after %s\n", time.Since(began).Round(time.Second))
	_ = os.RemoveAll(at) // what an earlier run has left unfinished
	return os.Rename(making, at)
}
