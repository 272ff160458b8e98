package config

import (
	"path/filepath"
	"strings"
)

// parsePaths reads "~/notes,/srv/data"; "off" is none. A relative path would mean another
// directory for each session, so it is refused.
func parsePaths(s string) ([]string, bool) {
	if s == "off" {
		return []string{}, true
	}
	var paths []string
	for path := range strings.SplitSeq(s, ",") {
		path = strings.TrimSpace(path)
		rest, home := strings.CutPrefix(path, "~/")
		if !home && !filepath.IsAbs(path) || strings.ContainsAny(path, "\x00\n") {
			return nil, false
		}
		if home && !filepath.IsLocal(rest) {
			return nil, false // ~/.. is not below the home directory
		}
		paths = append(paths, path)
	}
	return paths, true
}
