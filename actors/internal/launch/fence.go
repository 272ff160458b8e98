package launch

// Versions of Landlock's interface, as [FenceVersion] returns them.
const (
	FenceWrites  = 3 // the least that restricts every write; Linux 6.2
	FenceSignals = 6 // restricts signals too; Linux 6.12
)

// fenceSeparator separates the paths of a fence, none of which may contain it.
const fenceSeparator = '\n'

func joinFence(paths []string) string {
	var b []byte
	for i, p := range paths {
		if i > 0 {
			b = append(b, fenceSeparator)
		}
		b = append(b, p...)
	}
	return string(b)
}

// splitFence is the inverse of joinFence.
func splitFence(s string) []string {
	if s == "" {
		return nil
	}
	var paths []string
	from := 0
	for i := range len(s) {
		if s[i] == fenceSeparator {
			paths, from = append(paths, s[from:i]), i+1
		}
	}
	return append(paths, s[from:])
}
