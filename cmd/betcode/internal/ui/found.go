package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	pb "betcode/proto/betcode/v1"
)

// snippetRows bounds the rows of the text of a hit.
const snippetRows = 2

// Found is the search over the history of all sessions: a line for the query, and the hits. It is plain data.
type Found struct {
	style         console.Style
	width, height int
	query         editor.Editor
	typing        bool   // keys are for the query
	asked         string // query whose answer is shown or on its way
	hits          []*pb.SearchHit
	at            int    // index of the chosen hit
	first         int    // index of the first hit shown
	remark        string // about the hits, or why there are none
	failed        bool
}

// NewFound returns a search whose query is to be typed.
func NewFound(s console.Style, width, height int) *Found {
	return &Found{style: s, width: width, height: height, typing: true}
}

// Ask notes that a query is on its way.
func (f *Found) Ask(query string) {
	if f.query.Text() == "" {
		f.query.SetText(query)
	}
	f.asked, f.remark, f.failed = query, "searching …", false
}

// Took takes the hits of a query, or why there are none. An answer to an earlier query is ignored.
func (f *Found) Took(query string, r *pb.SearchResponse, err error) {
	if query != f.asked {
		return
	}
	f.hits, f.at, f.first, f.failed = r.GetHits(), 0, 0, err != nil
	if err != nil {
		f.remark = "not searched: " + reason(err)
		return
	}
	f.remark = lookback.Remark(r, ": add words, or betcode search --limit")
	f.typing = len(f.hits) == 0
}

// Say shows a short answer.
func (f *Found) Say(text string) { f.remark = console.Line(text) }

// Press handles a key.
func (f *Found) Press(k editor.Key) Effect {
	if f.typing {
		return f.typed(k)
	}
	switch k.Name {
	case "esc", "q", "left", "h":
		return HideSearch{}
	case "ctrl+c", "ctrl+d":
		return Quit{}
	case "/", "s":
		f.typing = true
	case "enter", "l", "right":
		if f.at < len(f.hits) {
			h := f.hits[f.at]
			return Open{Session: h.GetSessionId(), At: h.GetSequence(), Words: lookback.Sought(h)}
		}
	}
	f.at = max(moved(f.at, k.Name, len(f.hits), f.height/3), 0)
	return nil
}

// typed handles a key of the query.
func (f *Found) typed(k editor.Key) Effect {
	switch k.Name {
	case "esc", "ctrl+c":
		if len(f.hits) == 0 {
			return HideSearch{}
		}
		f.typing = false
	case "enter":
		query := strings.TrimSpace(f.query.Text())
		if query == "" {
			return nil
		}
		f.Ask(query)
		return Search{query}
	default:
		f.query.Key(k)
	}
	return nil
}

// Paste inserts pasted text into the query, on one line.
func (f *Found) Paste(text string) {
	if f.typing {
		f.query.Insert(strings.Join(strings.Fields(text), " "))
	}
}

// Rows returns the whole screen.
func (f *Found) Rows(now time.Time) []string {
	text, _, _ := f.query.View(max(f.width-11, 10), 1)
	out := []string{f.style.Bold("search ") + text[0], ""}
	body := max(f.height-4, 1)
	out = append(out, f.window(now, body)...)
	for len(out) < f.height-2 {
		out = append(out, "")
	}
	foot := f.style.Dim("j k move · Enter opens the session there · s other words · Esc back")
	if f.typing {
		foot = f.style.Dim(`words that all occur · "a phrase" · begin* · -without · Enter searches · Esc back`)
	}
	switch {
	case f.failed:
		foot = f.style.Red(f.remark)
	case f.remark != "":
		foot = f.style.Yellow(f.remark) + f.style.Dim(" · ") + foot
	}
	out = append(out[:max(f.height-2, 2)], f.style.Dim(strings.Repeat("─", max(f.width-1, 1))), foot)
	for i := range out {
		out[i] = ansi.Truncate(out[i], max(f.width-1, 1), "…")
	}
	return out
}

// window returns the rows of the hits around the chosen one.
func (f *Found) window(now time.Time, body int) []string {
	f.first = min(f.first, f.at)
	for {
		var out []string
		end := 0 // rows up to the end of the chosen hit
		for i := f.first; i < len(f.hits) && len(out) < body; i++ {
			out = append(out, f.hit(now, i)...)
			if i == f.at {
				end = len(out)
			}
		}
		if f.first >= f.at || end > 0 && end <= body {
			return out[:min(len(out), body)]
		}
		f.first++
	}
}

// hit returns the rows of one hit: where it is, and its text.
func (f *Found) hit(now time.Time, i int) []string {
	h, s := f.hits[i], f.style
	name := console.Line(h.GetSessionName())
	if name == "" {
		name = "session " + console.ShortID(h.GetSessionId())
	}
	name = console.Shorten(name, 40)
	mark := "  "
	if i == f.at && !f.typing {
		mark, name = s.Bold("› "), s.Bold(name)
	}
	rows := []string{mark + name + s.Dim("  "+console.Line(lookback.Source(h))+"  "+console.Ago(h.GetTimestamp(), now))}
	text := strings.Split(ansi.Wrap(lookback.Marked(h, s), max(f.width-5, 10), " "), "\n")
	for _, row := range text[:min(len(text), snippetRows)] {
		rows = append(rows, "    "+row)
	}
	return rows
}

// Cursor returns the place of the cursor; a negative row hides it.
func (f *Found) Cursor() (row, column int) {
	if !f.typing {
		return -1, 0
	}
	_, _, c := f.query.View(max(f.width-11, 10), 1)
	return 0, c + len("search ")
}
