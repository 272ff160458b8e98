package editor

import "strings"

// Choice is a completion: the text that replaces the word, and its description.
type Choice struct{ Text, What string }

// Completions is the list of completions of the word before the cursor.
type Completions struct {
	word    string
	choices []Choice
	at      int
	hidden  string // the word for which Esc closed the list
}

// Set shows choices for a word. They are ignored if the word before the cursor is another one by now.
func (c *Completions) Set(e *Editor, word string, choices []Choice) {
	if now, _ := e.Word(); now != word || word == c.hidden {
		return
	}
	c.word, c.choices, c.at = word, choices, 0
}

// Wanted returns the word for which the daemon should be asked: a command at the beginning of the text, or a path or an agent
// behind an @. It closes the list for any other word.
func (c *Completions) Wanted(e *Editor) (word string, wanted bool) {
	word, first := e.Word()
	if word != c.hidden {
		c.hidden = ""
	}
	if (first && strings.HasPrefix(word, "/") || strings.HasPrefix(word, "@")) && word != c.hidden {
		return word, true
	}
	c.close()
	return "", false
}

// Open reports whether there is something to choose.
func (c *Completions) Open() bool { return len(c.choices) > 0 }

// Choices returns at most so many choices around the chosen one, with its index.
func (c *Completions) Choices(most int) (choices []Choice, at int) {
	first := max(min(c.at-most/2, len(c.choices)-most), 0)
	return c.choices[first:min(first+most, len(c.choices))], c.at - first
}

// Key handles a key of the open list. It reports whether it belongs to it.
func (c *Completions) Key(k Key, e *Editor) bool {
	if !c.Open() {
		return false
	}
	switch k.Name {
	case "tab":
		c.accept(e)
	case "up", "ctrl+p", "shift+tab":
		c.at = (c.at + len(c.choices) - 1) % len(c.choices)
	case "down", "ctrl+n":
		c.at = (c.at + 1) % len(c.choices)
	case "esc":
		c.hidden = c.word
		c.close()
	default:
		return false
	}
	return true
}

// accept replaces the word by the chosen text. After a directory the list stays open for its files.
func (c *Completions) accept(e *Editor) {
	text := c.choices[c.at].Text
	if !strings.HasSuffix(text, "/") {
		text += " "
	}
	e.ReplaceWord(text)
	c.close()
}

func (c *Completions) close() { c.word, c.choices, c.at = "", nil, 0 }
