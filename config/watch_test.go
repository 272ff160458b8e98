package config

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan struct{}, 64)
	stopped, err := Watch(ctx, dir, func() { heard <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	hear := func(what string, do func()) {
		t.Helper()
		for len(heard) > 0 {
			<-heard
		}
		do()
		select {
		case <-heard:
		case <-time.After(time.Minute):
			t.Fatalf("%s went unheard", what)
		}
	}
	hear("the directory", func() { write(t, dir, SettingsFile, "{}") })
	hear("an update", func() {
		if err := edit(filepath.Join(dir, SettingsFile), FromUser, []Change{{Name: "disk.low", Value: "1GiB"}}); err != nil {
			t.Fatal(err)
		}
	})
	hear("daemon.toml", func() { write(t, dir, TOMLFile, "") })
	hear("the end of a file", func() { os.Remove(filepath.Join(dir, TOMLFile)) })
	elsewhere := write(t, t.TempDir(), "mine.json", "{}")
	hear("a link", func() {
		os.Remove(filepath.Join(dir, SettingsFile))
		if err := os.Symlink(elsewhere, filepath.Join(dir, SettingsFile)); err != nil {
			t.Fatal(err)
		}
	})
	hear("what a link leads to", func() { write(t, filepath.Dir(elsewhere), "mine.json", `{"disk":{}}`) })
	cancel()
	<-stopped
}
