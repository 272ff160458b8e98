package protect

import (
	"maps"
	"slices"
)

func sorted(names map[string]string) []string { return slices.Sorted(maps.Keys(names)) }
