package ui

// moved returns the index of the row of n that a key chooses when the row at is chosen, on a screen of some height; negative
// without rows.
func moved(at int, key string, n, height int) int {
	switch key {
	case "j", "down":
		at++
	case "k", "up":
		at--
	case "pgdown":
		at += height / 2
	case "pgup":
		at -= height / 2
	case "g", "home":
		at = 0
	case "G", "end":
		at = n - 1
	}
	return min(max(at, 0), n-1)
}
