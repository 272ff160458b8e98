package claudecli

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// pinsJSON maps a version to the integrity of its packages, as the registry
// published them: "package": "sha512-…". A version that is not listed can be
// fetched, but nothing holds it to a content.
//
//go:embed pins.json
var pinsJSON []byte

// pins is pinsJSON, decoded.
var pins = func() map[string]map[string]string {
	var all map[string]map[string]string
	if err := json.Unmarshal(pinsJSON, &all); err != nil {
		panic("read pins.json: " + err.Error())
	}
	return all
}()

// checkIntegrity compares what npm installed under a prefix with the pins of a
// version. npm itself has checked the content against what it recorded there.
func checkIntegrity(prefix, version string) error {
	wanted := pins[version]
	if len(wanted) == 0 {
		return nil
	}
	recorded, err := os.ReadFile(filepath.Join(prefix, "node_modules", ".package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("npm recorded no integrity of %s@%s", Package, version)
	}
	if err != nil {
		return fmt.Errorf("read what npm installed: %w", err)
	}
	var lock struct {
		Packages map[string]struct {
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(recorded, &lock); err != nil {
		return fmt.Errorf("read what npm installed: %w", err)
	}
	if _, found := lock.Packages["node_modules/"+Package]; !found {
		return fmt.Errorf("npm did not record an installation of %s", Package)
	}
	for path, found := range lock.Packages {
		name := strings.TrimPrefix(path, "node_modules/")
		if want := wanted[name]; want != "" && found.Integrity != want {
			return fmt.Errorf("%s@%s has integrity %s, pinned is %s", name, version, found.Integrity, want)
		}
	}
	return nil
}
