package editor

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// A paste is folded above these numbers; text that is recalled or comes from an external editor above larger ones, because
// a person wants to edit it.
const (
	foldLines, foldRunes         = 8, 1000
	recallLines, recallRunes     = 200, 16 << 10
	maxUndo                      = 100
	longestCluster           int = 32 // runes of a grapheme cluster that are examined
)

// Editor is a text with a cursor. The zero value is empty.
type Editor struct {
	text   []rune // a negative rune -1-i represents folds[i]
	folds  []string
	cursor int
	killed []rune
	former []snapshot
	goal   int // column that Up and Down keep; 0: take the present one
	width  int // of the rows, for Up and Down
}

// snapshot is a text to return to.
type snapshot struct {
	text   []rune
	cursor int
}

// Key is one key: its name as Bubble Tea spells it ("ctrl+a", "enter"), and the text it types, if any.
type Key struct{ Name, Text string }

// Text returns the text with folded pastes in full.
func (e *Editor) Text() string { return e.expand(e.text) }

func (e *Editor) expand(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0 {
			b.WriteString(e.folds[-1-r])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Empty reports whether there is no text.
func (e *Editor) Empty() bool { return len(e.text) == 0 }

// SetWidth sets the width of the rows.
func (e *Editor) SetWidth(width int) { e.width = width }

// SetText replaces the text and moves the cursor to its end. Very long text is folded.
func (e *Editor) SetText(text string) {
	e.remember()
	e.text, e.cursor = nil, 0
	e.insert(e.element(clean(text), recallLines, recallRunes))
}

// Clear removes the text. Ctrl-Y brings it back.
func (e *Editor) Clear() {
	if e.Empty() {
		return
	}
	e.remember()
	e.killed = e.text
	e.text, e.cursor, e.goal = nil, 0, 0
}

// Reset removes the text and everything that could bring it back, after it was sent.
func (e *Editor) Reset() { *e = Editor{killed: e.killed, folds: e.foldsOf(e.killed), width: e.width} }

// foldsOf keeps the folds only while something refers to them.
func (e *Editor) foldsOf(text []rune) []string {
	if slices.ContainsFunc(text, func(r rune) bool { return r < 0 }) {
		return e.folds
	}
	return nil
}

// Insert inserts typed text.
func (e *Editor) Insert(text string) {
	e.remember()
	e.insert([]rune(clean(text)))
}

// Paste inserts pasted text as one element if it is long.
func (e *Editor) Paste(text string) {
	e.remember()
	e.insert(e.element(clean(text), foldLines, foldRunes))
}

// element returns the runes for a text, folded if it is too long.
func (e *Editor) element(text string, lines, runes int) []rune {
	if strings.Count(text, "\n") < lines && len(text) <= runes {
		return []rune(text)
	}
	e.folds = append(e.folds, text)
	return []rune{rune(-len(e.folds))}
}

// clean makes line ends uniform and text valid.
func clean(text string) string {
	return strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufffd")
}

func (e *Editor) insert(runes []rune) {
	e.text = slices.Insert(slices.Clone(e.text), e.cursor, runes...)
	e.cursor += len(runes)
	e.goal = 0
}

// remember keeps the present text for undo.
func (e *Editor) remember() {
	e.former = append(e.former, snapshot{e.text, e.cursor})
	if len(e.former) > maxUndo {
		e.former = slices.Clone(e.former[1:])
	}
}

func (e *Editor) undo() {
	if n := len(e.former); n > 0 {
		e.text, e.cursor, e.goal = e.former[n-1].text, e.former[n-1].cursor, 0
		e.former = e.former[:n-1]
	}
}

// cut removes a range and keeps it for Ctrl-Y.
func (e *Editor) cut(from, to int, keep bool) {
	if from >= to {
		return
	}
	e.remember()
	if keep {
		e.killed = slices.Clone(e.text[from:to])
	}
	e.text = slices.Delete(slices.Clone(e.text), from, to)
	e.cursor, e.goal = from, 0
}

// after returns the end of the grapheme cluster or fold at i.
func (e *Editor) after(i int) int {
	if i >= len(e.text) {
		return len(e.text)
	}
	if e.text[i] < 0 || e.text[i] == '\n' {
		return i + 1
	}
	end := i + 1
	for end < len(e.text) && end < i+longestCluster && e.text[end] >= 0 && e.text[end] != '\n' {
		end++
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(string(e.text[i:end]), -1)
	return i + max(len([]rune(cluster)), 1)
}

// before returns the beginning of the cluster that ends at i.
func (e *Editor) before(i int) int {
	start := max(i-longestCluster, 0)
	for next := e.after(start); next < i; next = e.after(start) {
		start = next
	}
	return start
}

// lineStart and lineEnd return the bounds of the line of a position.
func (e *Editor) lineStart(i int) int {
	for i > 0 && e.text[i-1] != '\n' {
		i--
	}
	return i
}

func (e *Editor) lineEnd(i int) int {
	for i < len(e.text) && e.text[i] != '\n' {
		i++
	}
	return i
}

// wordLeft and wordRight return the bounds of the word beside a position.
func (e *Editor) wordLeft(i int) int {
	for i > 0 && !wordRune(e.text[i-1]) {
		i--
	}
	for i > 0 && wordRune(e.text[i-1]) {
		i--
	}
	return i
}

func (e *Editor) wordRight(i int) int {
	for i < len(e.text) && !wordRune(e.text[i]) {
		i++
	}
	for i < len(e.text) && wordRune(e.text[i]) {
		i++
	}
	return i
}

func wordRune(r rune) bool { return r < 0 || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// blankLeft returns the beginning of the text between blanks before a position.
func (e *Editor) blankLeft(i int) int {
	blank := func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }
	for i > 0 && blank(e.text[i-1]) {
		i--
	}
	for i > 0 && !blank(e.text[i-1]) {
		i--
	}
	return i
}

// foldName is how a folded text is shown.
func foldName(text string) string {
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; lines > 1 {
		return fmt.Sprintf("[%d lines pasted]", lines)
	}
	return fmt.Sprintf("[%d bytes pasted]", len(text))
}
