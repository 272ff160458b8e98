package config

import (
	"path/filepath"
	"strings"
)

// parsePaths parses "~/notes,/srv/data"; "off" is the empty list. It refuses relative paths,
// which would name another directory in each session.
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
