package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/inbox"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// touches returns what of the rows a terminal would obey, or a person would not see; empty if nothing. The rows have no colours.
func touches(rows []string) string {
	for _, row := range rows {
		for _, r := range row {
			if visible.Hidden(r) {
				return visible.Escape(r) + " in " + visible.Line(row)
			}
		}
	}
	return ""
}

// everywhere gives a chat a text in every place that others write: events of every kind, requests, answers of the daemon, names,
// failures, drafts and history. It calls shown after each.
func everywhere(p *person, text string, shown func(place string)) {
	for i, e := range eventtest.HostileEvents(text) {
		id := fmt.Sprintf("%d-%d%s", p.now.UnixNano(), i, text)
		place := strings.TrimPrefix(strings.SplitN(e.String(), ":", 2)[0], " ")
		if r := e.GetPermissionRequest(); r != nil {
			r.RequestId = id
		}
		if q := e.GetUserQuestion(); q != nil {
			q.QuestionId, id = id, inbox.RequestOf(id)
		}
		p.events(e)
		if e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil {
			p.waits(time.Second)
			if !p.Waits() {
				panic(place + " does not ask")
			}
			p.does(Explained{id, text + "!"})
			shown(place + " asked")
			p.types(time.Second, "e")
			shown(place + " edited")
			p.types(time.Second, "esc", "pgdown")
			shown(place + " scrolled")
			p.events(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id, ResolvedBy: text}}})
		}
		nested := proto.CloneOf(e)
		nested.ParentToolUseId, nested.SessionId = text, text
		if e.GetPermissionRequest() == nil && e.GetUserQuestion() == nil {
			p.events(nested)
		}
		shown(place)
	}
	plan := eventtest.Asks(fmt.Sprint("plan", p.now), "ExitPlanMode", text)
	plan.GetPermissionRequest().GetInput().Fields["plan"] = structpb.NewStringValue("# " + text + "\n\n- " + text + "\n\n```" + text + "\n" + text + "\n```\n[" + text + "](http://" + text + ")\n\n|a" + text + "|\n|-|\n|" + text + "|")
	p.events(plan)
	p.waits(time.Second)
	shown("a plan")
	p.events(eventtest.Resolved(plan.GetPermissionRequest().GetRequestId()))
	for _, piece := range strings.SplitAfter("**"+text+"** `"+text+"` \n> "+text+"\n\n1. "+text+"\n", "") {
		p.events(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: piece, BlockId: "piece by piece"}}})
	}
	shown("text piece by piece")
	p.does(Items{{Outage: &client.Outage{Err: errors.New(text), Attempt: 1}}})
	shown("an outage")
	p.does(Items{{Outage: &client.Outage{}}})
	p.does(Locked{nil, errors.New(text)})
	p.does(Locked{&pb.InputLockResponse{PreviousHolder: text}, nil})
	shown("the lock")
	p.types(typing, "ctrl+u", "@", "f")
	p.does(Completed{"@f", []editor.Choice{{Text: "@f" + text, What: text}, {Text: "@f" + text + "2"}}})
	shown("completions")
	p.types(typing, "tab")
	shown("a completion that is taken")
	p.does(Edited{Text: text})
	shown("text of the person's editor")
	p.does(Edited{Err: errors.New(text)})
	p.does(Paste(text))
	shown("a paste")
	p.types(typing, "ctrl+r")
	for _, r := range text {
		p.does(Press(editor.Key{Name: string(r), Text: string(r)}))
	}
	shown("a search in the history")
	p.types(typing, "esc", "ctrl+c")
	shown("an interrupted line")
}

// Texts of others cannot control the terminal, in a chat that prints and on a screen.
func TestHostileTexts(t *testing.T) {
	for name, text := range eventtest.Hostile() {
		for _, screen := range []bool{false, true} {
			p := newPerson(Options{
				Screen: screen, Verbose: true, Session: "s", History: []string{"old " + text}, Restored: drafts.Saved{Text: text, Unconfirmed: []drafts.Message{{Key: "k", Text: text}}},
			})
			for _, width := range []int{100, 24} {
				p.does(Resize{width, 16})
				everywhere(p, text, func(place string) {
					t.Helper()
					rows, _, _ := p.Frame(p.now)
					p.effects = slices.DeleteFunc(p.effects, func(e Effect) bool {
						switch e := e.(type) {
						case Print:
							rows = append(rows, e.Rows...)
							return true
						case Notify:
							rows = append(rows, e.Text)
						}
						return false
					})
					p.does(Printed{})
					if bad := touches(rows); bad != "" {
						t.Errorf("%s, screen %v, %d columns, %s: %s", name, screen, width, place, bad)
					}
				})
			}
		}
	}
}
