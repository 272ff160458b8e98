package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// picture is a small image.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sayWith sends a message with files and returns its key.
func (s *story) sayWith(c *kit.Stream, text string, files ...*pb.Attachment) string {
	s.Helper()
	key := uuid.NewString()
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{
		Content: text, IdempotencyKey: key, Attachments: files,
	}}}); err != nil {
		s.Fatal(err)
	}
	return key
}

// An attachment of an unsupported type is refused with the list of supported types, and no part of
// the message is accepted.
func TestAttachmentsAreChecked(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	next := 0
	for what, file := range map[string]*pb.Attachment{
		"no picture":   {Filename: "a.png", MimeType: "image/png", Data: []byte("<svg/>")},
		"an archive":   {Filename: "a.zip", MimeType: "application/zip", Data: []byte("PK\x03\x04")},
		"a large text": {Filename: "a.txt", MimeType: "text/plain", Data: bytes.Repeat([]byte("x"), 2<<20)},
	} {
		key := s.sayWith(c, "echo:look", file)
		var refused kit.Event
		refused, next = s.wait(c, next, isError("INVALID_ARGUMENT"))
		if e := refused.GetError(); e.GetDetails()["idempotency_key"] != key || !strings.Contains(e.GetMessage(), "Accepted are PNG") || e.GetIsFatal() {
			t.Errorf("%s: %v", what, e)
		}
	}
	s.sayWith(c, "echo:seen", &pb.Attachment{Filename: "a.png", MimeType: "image/png", Data: picture(t)})
	said, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput() != nil })
	if files := said.GetUserInput().GetAttachments(); len(files) != 1 || files[0].GetFilename() != "a.png" || files[0].GetSize() != uint64(len(picture(t))) {
		t.Errorf("published as %v", said)
	}
	s.wait(c, next, kit.IsIdle)
}

// A picture, a document and a text reach the model with their types.
func TestRealAttachments(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	c := s.converse("a", session())
	document := []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")
	s.sayWith(c, "say what you see",
		&pb.Attachment{Filename: "dot.png", MimeType: "image/png", Data: picture(t)},
		&pb.Attachment{Filename: "plan.pdf", MimeType: "application/pdf", Data: document},
		&pb.Attachment{Filename: "notes.txt", MimeType: "text/plain", Data: []byte("buy milk")})
	_, next := s.wait(c, 0, kit.IsIdle)
	var body string
	for _, r := range server.Requests() {
		if r.Conversation.Count("say what you see") > 0 {
			body = string(r.Body)
		}
	}
	for _, want := range []string{
		`"media_type":"image/png"`, `"media_type":"application/pdf"`, base64.StdEncoding.EncodeToString(document),
		`File notes.txt:\n\nbuy milk`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the model was not sent %s", want)
		}
	}
	key := s.sayWith(c, "", &pb.Attachment{Filename: "dot.png", MimeType: "image/png", Data: picture(t)}) // nothing but a picture
	s.wait(c, next, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), key) })
	requests := server.Requests()
	if n := strings.Count(string(requests[len(requests)-1].Body), `"media_type":"image/png"`); n != 2 {
		t.Errorf("the model was sent %d pictures", n)
	}
}

func settings(s *story, c *kit.Stream, model, mode string) {
	s.Helper()
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: model, PermissionMode: mode}}}); err != nil {
		s.Fatal(err)
	}
}

// Model and mode are changed in the middle of a session: the agent that runs obeys, and
// so does the one that follows it.
func TestRealModelAndModeAreSwitched(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	_, next := s.wait(c, 0, kit.IsIdle)
	const model = "claude-of-tomorrow-9" // names of old models stand for newer ones
	settings(s, c, model, "")
	s.say(c, "say it again")
	told, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	if got := told.GetSessionInfo().GetModel(); got != model {
		t.Errorf("the model got %s", got)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	requests := server.Requests()
	if got := requests[len(requests)-1].Model; got != model {
		t.Errorf("the model that was asked is %s", got)
	}
	settings(s, c, "", "plan")
	s.say(c, "plan the work")
	s.wait(c, next, func(e kit.Event) bool { return e.GetPlanMode().GetActive() })
	asked, next := s.wait(c, next, kit.IsPermission)
	if got := asked.GetPermissionRequest().GetToolName(); got != "ExitPlanMode" {
		t.Errorf("asked for %s", got)
	}
	s.answer(c, asked, pb.PermissionDecision_DENY, "not yet")
	_, next = s.wait(c, next, kit.IsIdle)
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || shown.GetPermissionMode() != "plan" {
		t.Errorf("the mode is %q, %v", shown.GetPermissionMode(), err)
	}
	s.say(c, "plan again")
	asked, next = s.wait(c, next, kit.IsPermission)
	if got := asked.GetPermissionRequest().GetToolName(); got != "ExitPlanMode" {
		t.Errorf("the next agent asked for %s", got)
	}
	s.answer(c, asked, pb.PermissionDecision_DENY, "not yet")
	s.wait(c, next, kit.IsIdle)
	requests = server.Requests()
	if got := requests[len(requests)-1].Model; got != model {
		t.Errorf("the model that the next agent asked is %s", got)
	}
}

// Each change of the agent's to-do list is published with the whole list.
func TestRealTodos(t *testing.T) {
	t.Parallel()
	w, _ := realWorld(t, binaries.betcode)
	w.Extra = append(w.Extra, "CLAUDE_CODE_ENABLE_TODO_TOOLS=1")
	s := storyIn(t, w)
	c := s.converse("a", session())
	s.say(c, "tasks please")
	var states []string
	for next, done := 0, false; !done; {
		var e kit.Event
		e, next = s.wait(c, next, func(e kit.Event) bool { return e.GetTodoUpdate() != nil })
		state := ""
		for _, item := range e.GetTodoUpdate().GetItems() {
			state += item.GetSubject() + " " + item.GetStatus().String() + "; "
		}
		states = append(states, state)
		done = state == "Write the code COMPLETED; Run the tests COMPLETED; "
	}
	if all := strings.Join(states, "\n"); !strings.Contains(all, "Write the code IN_PROGRESS; Run the tests PENDING; ") {
		t.Errorf("the list went through\n%s", all)
	}
	s.wait(c, 0, kit.IsIdle)
}

// Several questions are answered together, under the id that they share.
func TestRealQuestionsAreAnsweredTogether(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "ask me")
	isQuestion := func(e kit.Event) bool { return e.GetUserQuestion() != nil && e.GetSequence() > 0 }
	first, next := s.wait(c, 0, isQuestion)
	request, number, numbered := strings.Cut(first.GetUserQuestion().GetQuestionId(), "/")
	if !numbered || number != "0" {
		t.Errorf("the first question is %q", first.GetUserQuestion().GetQuestionId())
	}
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: request, Answers: map[string]string{"Which branch?": "develop", "Which checks?": "lint, test", "Go on?": "after lunch"},
	}}}); err != nil {
		t.Fatal(err)
	}
	_, end := s.wait(c, next, kit.IsIdle)
	got := kit.Text(c.Events()[:end])
	for _, want := range []string{"develop", "lint, test", "after lunch"} {
		if !strings.Contains(got, want) {
			t.Errorf("the model did not get %q: %q", want, got)
		}
	}
}
