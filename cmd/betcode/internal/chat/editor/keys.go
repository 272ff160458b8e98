package editor

import "slices"

// Key handles a key that edits the text or moves the cursor. It reports whether it did; Up on the first row and Down on the
// last one are for the history.
func (e *Editor) Key(k Key) bool {
	switch k.Name {
	case "left", "ctrl+b":
		e.move(e.before(e.cursor))
	case "right", "ctrl+f":
		e.move(e.after(e.cursor))
	case "home", "ctrl+a":
		e.move(e.lineStart(e.cursor))
	case "end", "ctrl+e":
		e.move(e.lineEnd(e.cursor))
	case "ctrl+home":
		e.move(0)
	case "ctrl+end":
		e.move(len(e.text))
	case "alt+b", "ctrl+left", "alt+left":
		e.move(e.wordLeft(e.cursor))
	case "alt+f", "ctrl+right", "alt+right":
		e.move(e.wordRight(e.cursor))
	case "up":
		return e.vertical(-1)
	case "down":
		return e.vertical(1)
	case "backspace", "ctrl+h", "shift+backspace":
		e.cut(e.before(e.cursor), e.cursor, false)
	case "delete":
		e.cut(e.cursor, e.after(e.cursor), false)
	case "ctrl+d":
		if e.Empty() {
			return false
		}
		e.cut(e.cursor, e.after(e.cursor), false)
	case "ctrl+w":
		e.cut(e.blankLeft(e.cursor), e.cursor, true)
	case "alt+backspace":
		e.cut(e.wordLeft(e.cursor), e.cursor, true)
	case "alt+d":
		end := e.wordRight(e.cursor)
		e.cut(e.cursor, end, true)
	case "ctrl+u":
		e.cut(e.lineStart(e.cursor), e.cursor, true)
	case "ctrl+k":
		end := e.lineEnd(e.cursor)
		if end == e.cursor {
			end = e.after(end)
		}
		e.cut(e.cursor, end, true)
	case "ctrl+y":
		e.remember()
		e.insert(e.killed)
	case "ctrl+_", "ctrl+-", "ctrl+/", "alt+z":
		e.undo()
	case "alt+enter", "ctrl+j", "shift+enter", "ctrl+enter":
		e.Insert("\n")
	default:
		if k.Text == "" {
			return false
		}
		e.Insert(k.Text)
	}
	return true
}

func (e *Editor) move(to int) { e.cursor, e.goal = to, 0 }

// vertical moves the cursor by one row. It reports whether there is one.
func (e *Editor) vertical(by int) bool {
	rows := e.rows()
	at := e.rowOf(rows, e.cursor)
	if at+by < 0 || at+by >= len(rows) {
		return false
	}
	goal := e.goal
	if goal == 0 {
		goal = e.columns(rows[at].from, e.cursor) + 1
	}
	target := rows[at+by]
	i := target.from
	for column := 0; i < target.to; {
		next := e.after(i)
		if column += e.columns(i, next); column >= goal || next > target.to {
			break
		}
		i = next
	}
	if n := at + by + 1; i == target.to && n < len(rows) && rows[n].from == i { // the line goes on: this is the next row's place
		i = max(e.before(i), target.from)
	}
	e.cursor, e.goal = i, goal
	return true
}

// Continue turns a backslash before the cursor into a line end. It reports whether there was one.
func (e *Editor) Continue() bool {
	if e.cursor == 0 || e.text[e.cursor-1] != '\\' {
		return false
	}
	e.remember()
	e.text = slices.Replace(slices.Clone(e.text), e.cursor-1, e.cursor, '\n')
	e.goal = 0
	return true
}

// Word returns the text between blanks before the cursor, and whether it begins the text.
func (e *Editor) Word() (word string, first bool) {
	i := e.cursor
	for i > 0 && e.text[i-1] >= 0 && e.text[i-1] != ' ' && e.text[i-1] != '\n' && e.text[i-1] != '\t' {
		i--
	}
	return string(e.text[i:e.cursor]), i == 0
}

// ReplaceWord replaces that text.
func (e *Editor) ReplaceWord(with string) {
	word, _ := e.Word()
	e.remember()
	from := e.cursor - len([]rune(word))
	e.text = append(append(append([]rune(nil), e.text[:from]...), []rune(with)...), e.text[e.cursor:]...)
	e.cursor, e.goal = from+len([]rune(with)), 0
}
