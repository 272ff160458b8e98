package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// answerPatience bounds one call to the daemon. Later completions are of no use.
const answerPatience = 5 * time.Second

// Translate turns a message of Bubble Tea into one of [Model.Step]; nil if the model does not know it.
func Translate(message tea.Msg) any {
	switch message := message.(type) {
	case tea.KeyPressMsg:
		return Press(editor.Key{Name: message.String(), Text: printable(message)})
	case tea.PasteMsg:
		return Paste(message.Content)
	case tea.WindowSizeMsg:
		return Resize{message.Width, message.Height}
	case tea.FocusMsg:
		return Focus(true)
	case tea.BlurMsg:
		return Focus(false)
	}
	return nil
}

// printable returns the text of a key.
func printable(k tea.KeyPressMsg) string {
	if k.Mod&^tea.ModShift != 0 {
		return ""
	}
	return k.Text
}

// ask returns the command for an effect that asks the daemon or the clock; nil for another effect.
func (s *Shell) ask(e Effect) tea.Cmd {
	ctx, cl, session := s.ctx, s.client, s.Conversation.Session()
	asking := func(ask func(ctx context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, answerPatience)
			defer cancel()
			return ask(ctx)
		}
	}
	switch e := e.(type) {
	case After:
		return tea.Tick(e.Wait, func(time.Time) tea.Msg { return e.Message })
	case Explain:
		return asking(func(ctx context.Context) tea.Msg {
			r, err := cl.Admin.ExplainPermission(ctx, &pb.ExplainPermissionRequest{
				ToolName: e.Request.GetToolName(), Input: e.Request.GetInput(), SessionId: session,
			})
			if err != nil {
				return nil // the request is shown without it
			}
			return Explained{e.Request.GetRequestId(), explained(r)}
		})
	case Complete:
		return asking(func(ctx context.Context) tea.Msg {
			return Completed{e.Word, complete(ctx, cl, &s.commands, session, e.Word)}
		})
	case RequestLock:
		return func() tea.Msg { // the holder has ten seconds to respond
			r, err := cl.Agent.RequestInputLock(ctx, &pb.InputLockRequest{SessionId: session})
			return Locked{r, err}
		}
	}
	return nil
}

// explained describes on one line the decision of rules, and the rule.
func explained(r *pb.ExplainPermissionResponse) string {
	why := r.GetWhy()
	if r.GetEffect() == "none" {
		why = "none of yours allows or denies it"
	}
	if len(r.GetRules()) > 0 {
		why += " (" + strings.Join(r.GetRules(), "; ") + ")"
	}
	return console.Shorten(why, 300)
}
