package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"betcode/persistence"
)

// age rewrites the journal to an older format, so that the next daemon migrates it and reaches its
// armed failpoint. Newer records stay readable: a migration changes only MANIFEST and adds the logs
// that format 1 lacks.
func (r *round) age(point string) {
	directory := filepath.Join(r.world.StateDir(), "journal")
	err := func() error {
		store, err := persistence.Open(persistence.Options{Directory: directory})
		if err != nil {
			return err
		}
		if err := store.Close(); err != nil { // moves the contents of the logs
			return err
		}
		path := filepath.Join(directory, "MANIFEST")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var manifest map[string]any
		if err := json.Unmarshal(text, &manifest); err != nil {
			return err
		}
		manifest["format"] = 2
		delete(manifest, "generation")
		delete(manifest, "checksum")
		err = os.Remove(path + "-2")
		if strings.HasPrefix(point, "migration/logs") {
			manifest["format"] = 1
			delete(manifest, "logs")
			err = errors.Join(err, os.Remove(filepath.Join(directory, "1.log")), os.Remove(filepath.Join(directory, "2.log")))
		}
		if text, bad := json.Marshal(manifest); err == nil && bad == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		return err
	}()
	if err != nil {
		r.report(otherwise, "the journal cannot be aged: %v", err)
	}
	r.note("the journal is one of an older format")
}
