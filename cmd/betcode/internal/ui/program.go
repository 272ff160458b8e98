package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

const (
	maxOpen   = 4 // sessions that are attached at once; the one unseen for longest goes first
	seen      = time.Second
	unseen    = 5 * time.Second // while the terminal does not have the focus
	endedView = "the conversation ended: "
)

// Options configure the screen.
type Options struct {
	Drafts string                       // directory of drafts and histories
	State  string                       // directory with the time of the last look; empty: the daemon is on another machine
	New    func() (talk.Opening, error) // describes a new session in this directory
}

// Run is the screen until the person leaves. All sessions go on.
func Run(ctx context.Context, c *console.Console, cl *client.Client, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	p := &program{asks: asks{ctx, cl}, console: c, options: o, list: NewModel(console.Style(c.Terminal.Colour)), focused: true}
	p.tea = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(c.Stdin), tea.WithOutput(c.Stdout))
	_, err := p.tea.Run()
	cancel()
	for _, v := range p.views {
		if kept := v.shell.Close(); kept != nil {
			c.Say("%v", kept)
		}
	}
	p.pumps.Wait()
	for _, text := range p.unsent {
		c.Say("not sent, because its session could not be opened:\n%s", console.Text(text))
	}
	if p.looked {
		if kept := lookback.Note(o.State, time.Now()); kept != nil {
			c.Say("%v", kept)
		}
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("run screen: %w", err)
	}
	return nil
}

// program joins the list and the opened sessions with Bubble Tea.
type program struct {
	asks
	console *console.Console
	options Options
	tea     *tea.Program
	pumps   sync.WaitGroup

	list          *Model
	views         []*view // the one that was seen last is the last
	open          *view   // nil: the list or the plans are shown
	awaited       uint64  // number of the opening that is under way; 0: none. What is typed meanwhile is for its session
	openings      uint64  // so far
	early         early   // keys and pastes for it
	unsent        unsent
	plansOpen     *Plans // nil: the list or the search is shown
	found         *Found // nil: the list or the plans are shown
	asked         bool   // the digest was asked for
	looked        bool   // the digest was shown, or there is none
	width, height int
	focused       bool
}

// Messages.
type (
	answer struct { // to an opened session
		session string
		message any
	}
	sessions struct {
		list *pb.ListSessionsResponse
		err  error
	}
	pollDue    struct{}
	plansFound struct {
		plans []*pb.OrchestrationInfo
		err   error
	}
	plansDue struct{}
	digested struct {
		digest *pb.DigestResponse
		before bool // the person was here earlier
		err    error
	}
	searched struct {
		query string
		found *pb.SearchResponse
		err   error
	}
	opened struct {
		number  uint64 // of the opening
		session string // that was asked for; empty: a new one
		opening talk.Opening
		at      chat.Place // that is shown first
		err     error
	}
	did  struct{ text string }
	over struct {
		session string
		err     error
	}
)

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return p.poll }

// away requests the digest since a time. before says that the person was here earlier.
func (p *program) away(since time.Time, before bool) tea.Cmd {
	return func() tea.Msg {
		d, err := p.digest(since)
		return digested{d, before, err}
	}
}

// poll asks for the list.
func (p *program) poll() tea.Msg { return p.asks.list() }

// pollPlans asks for the plans.
func (p *program) pollPlans() tea.Msg { return p.plans() }

// Update implements tea.Model.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	now := time.Now()
	switch message := message.(type) {
	case sessions:
		var look tea.Cmd
		if !p.asked && message.err == nil && p.options.State != "" { // behind the list, which the person waits for
			p.asked, look = true, p.away(lookback.Last(p.options.State, now))
		}
		p.list.Listed(now, message.list, message.err)
		wait := seen
		if !p.focused {
			wait = unseen
		}
		return p, tea.Batch(look, tea.Tick(wait, func(time.Time) tea.Msg { return pollDue{} }))
	case pollDue:
		return p, p.poll
	case plansFound:
		if p.plansOpen == nil {
			return p, nil
		}
		p.plansOpen.Took(message.plans, message.err)
		return p, tea.Tick(seen, func(time.Time) tea.Msg { return plansDue{} })
	case plansDue:
		if p.plansOpen == nil {
			return p, nil
		}
		return p, p.pollPlans
	case digested:
		if message.err == nil {
			p.looked = true
			p.list.Away(message.digest, message.before)
		}
		return p, nil
	case searched:
		if p.found != nil {
			p.found.Took(message.query, message.found, message.err)
		}
		return p, nil
	case opened:
		return p, p.opened(message)
	case did:
		p.say(message.text)
		return p, nil
	case answer:
		return p, p.step(p.find(message.session), message.message)
	case over:
		if v := p.find(message.session); v != nil {
			p.close(v)
			p.say(endedView + reason(message.err))
		}
		return p, nil
	}
	translated := chat.Translate(message)
	switch t := translated.(type) {
	case chat.Resize:
		p.width, p.height = t.Width, t.Height
		p.list.Resize(t.Width, t.Height)
		if p.plansOpen != nil {
			p.plansOpen.width, p.plansOpen.height = p.width, p.height
		}
		if p.found != nil {
			p.found.width, p.found.height = p.width, p.height
		}
		return p, p.everyView(p.size())
	case chat.Focus:
		p.focused = bool(t)
		if since := p.list.Focus(now, p.focused); !since.IsZero() && p.options.State != "" {
			return p, tea.Batch(p.away(since, true), p.everyView(t))
		}
		return p, p.everyView(t)
	case chat.Paste:
		switch {
		case p.awaited > 0:
			p.keepEarly(t)
			return p, nil
		case p.open != nil:
		case p.found != nil:
			p.found.Paste(string(t))
		case p.plansOpen == nil:
			p.list.Paste(string(t))
		}
	case chat.Press:
		if p.waits(editor.Key(t)) {
			p.keepEarly(t)
			return p, nil
		}
		return p, p.press(editor.Key(t))
	case nil:
		translated = message // of the person's own editor, for example
	}
	return p, p.step(p.open, translated)
}

// size is the size of a view: one row is for its title.
func (p *program) size() chat.Resize { return chat.Resize{Width: p.width, Height: p.height - 1} }

func (p *program) everyView(message any) tea.Cmd {
	var cmds []tea.Cmd
	for _, v := range p.views {
		cmds = append(cmds, p.step(v, message))
	}
	return tea.Batch(cmds...)
}

// press handles a key of the list, or of the opened session.
func (p *program) press(k editor.Key) tea.Cmd {
	v := p.open
	switch {
	case v == nil && p.plansOpen != nil:
		return p.perform(p.plansOpen.Press(k))
	case v == nil && p.found != nil:
		return p.perform(p.found.Press(k))
	case v == nil:
		return p.perform(p.list.Press(k))
	}
	switch {
	case k.Name == "esc" && v.shell.Model.Away():
		if v.shell.Conversation.Unused() {
			p.close(v) // the daemon discards the session
		}
		p.open = nil
		return nil
	case k.Name == "ctrl+n":
		if next := p.list.Next(v.shell.Model.Session()); next != "" {
			return p.show(next, chat.Place{})
		}
		return nil
	case k.Name == "ctrl+t":
		v.unfolded = !v.unfolded
		v.shell.Model.Unfold(v.unfolded)
		return nil
	}
	return p.step(v, chat.Press(k))
}

// perform performs the effect of a key of the list.
func (p *program) perform(e Effect) tea.Cmd {
	switch e := e.(type) {
	case Quit:
		return tea.Quit
	case Open:
		return p.show(e.Session, chat.Place{Sequence: e.At, Words: e.Words})
	case Begin:
		return p.await("", chat.Place{}, p.options.New)
	case Command:
		return func() tea.Msg { return did{p.run(e)} }
	case ShowPlans:
		p.plansOpen = &Plans{style: console.Style(p.console.Terminal.Colour), width: p.width, height: p.height}
		return p.pollPlans
	case HidePlans:
		p.plansOpen = nil
	case ShowSearch:
		p.found = NewFound(console.Style(p.console.Terminal.Colour), p.width, p.height)
	case HideSearch:
		p.found = nil
	case Search:
		if p.found == nil {
			p.found = NewFound(console.Style(p.console.Terminal.Colour), p.width, p.height)
			p.found.Ask(e.Query)
		}
		return func() tea.Msg { return p.search(e.Query) }
	}
	return nil
}

// View implements tea.Model.
func (p *program) View() tea.View {
	now := time.Now()
	var rows []string
	row, column := p.list.Cursor()
	switch {
	case p.open == nil && p.plansOpen != nil:
		rows, row = p.plansOpen.Rows(now), -1
	case p.open == nil && p.found != nil:
		rows = p.found.Rows(now)
		row, column = p.found.Cursor()
	case p.open == nil:
		rows = p.list.Rows(now)
	default:
		var body []string
		body, row, column = p.open.shell.Model.Frame(now)
		above := max(p.height-1-len(body), 0)
		rows = append([]string{p.title(p.open)}, slices.Concat(make([]string, above), body)...)
		if row >= 0 {
			row += 1 + above
		}
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen, v.ReportFocus = true, true
	v.Cursor = chat.Cursor(row, column)
	return v
}
