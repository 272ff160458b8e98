package rules

import (
	"slices"
	"strings"
)

// ForAgent returns the rules of one list as the agent understands them. A rule that has two meanings for the daemon is given in
// both spellings.
func (s *Set) ForAgent(effect Effect) []string {
	var all []string
	for _, text := range s.Texts(effect) {
		all = append(all, text)
		tool, argument, err := (Rule{Text: text}).Split()
		if err == nil && strings.HasPrefix(argument, "/") && !strings.HasPrefix(argument, "//") && tool != "Bash" {
			all = append(all, tool+"(/"+argument+")") // from the root as well as from the directory
		}
	}
	return all
}

// Lacking returns the texts of a list that another list does not have, each once.
func Lacking(list, other []string) []string {
	var rest []string
	for _, text := range list {
		if !slices.Contains(other, text) && !slices.Contains(rest, text) {
			rest = append(rest, text)
		}
	}
	return rest
}
