package transcript

import (
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
)

// wrap breaks text, which may have colours, between words.
func wrap(text string, width int) []string {
	if width <= 0 {
		return strings.Split(text, "\n")
	}
	return strings.Split(xansi.Wrap(text, width, " "), "\n")
}
