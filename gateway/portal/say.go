package portal

import (
	"cmp"
	"net/http"

	"github.com/google/uuid"

	"betcode/gateway/portal/lines"
	pb "betcode/proto/betcode/v1"
)

// roleUser is the role of a message that people write. Lines of an agent come only from the journal.
const roleUser = "user"

// postMessage sends a prompt, and answers with its row when the daemon has stored it. A page without an
// answer may repeat it with the same client_msg_id, and the prompt is stored once.
func postMessage(c call) (any, error) {
	var body struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Key     string `json:"client_msg_id"` // ours
	}
	found, err := c.steered()
	if err != nil {
		return nil, err
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	switch {
	case body.Role != roleUser:
		return nil, invalid("the role of a message that is sent is user")
	case body.Content == "":
		return nil, invalid("the message is empty")
	case len(body.Content) > maxInput:
		return nil, invalid("the message has more than 3 MiB")
	case body.Key != "" && uuid.Validate(body.Key) != nil:
		return nil, invalid("client_msg_id is no UUID")
	}
	row, repeated, err := c.stored(found, body.Content, body.Key)
	if err == nil && !repeated {
		row, err = c.say(found, body.Content, cmp.Or(body.Key, uuid.NewString()))
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"message": row}, nil
}

// stored finds a prompt in the history by the id that its page has given it. The daemon confirms a prompt
// only once, to the clients that are attached then.
func (c call) stored(in Session, text, key string) (row messageRow, found bool, err error) {
	if key == "" {
		return messageRow{}, false, nil
	}
	w, another := lines.New(in.Summary.GetId()), false
	err = c.daemon.History(c, in, func(e *pb.AgentEvent) {
		all := w.Lines(e)
		if input := e.GetUserInput(); input.GetIdempotencyKey() == key && len(all) == 1 {
			row, found, another = c.messageRow(in, all[0]), true, input.GetContent() != text
		}
	})
	if err == nil && another {
		err = StateError{"another message has this client_msg_id"}
	}
	return row, found, err
}

// say sends a prompt and waits until the daemon has stored or refused it.
func (c call) say(to Session, text, key string) (row messageRow, err error) {
	talk := c.daemon.Write(to.Summary.GetId())
	defer talk.Close()
	talk.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: key}}})
	w := lines.New(to.Summary.GetId())
	for {
		select {
		case <-c.Done():
			return messageRow{}, errUnconfirmed
		case e, open := <-talk.Events():
			switch refused := e.GetError(); {
			case !open:
				return messageRow{}, talk.Err()
			case e.GetUserInput().GetIdempotencyKey() == key:
				for _, l := range w.Lines(e) {
					row = c.messageRow(to, l)
				}
				return row, nil
			case refused != nil && e.GetSequence() == 0:
				return messageRow{}, StateError{refused.GetMessage()}
			}
		}
	}
}

// steered returns the session of the path, if the caller may type there.
func (c call) steered() (Session, error) {
	found, err := c.session()
	if err == nil && !c.caller.within(found.Summary.GetId()).may("control") {
		err = ErrDenied
	}
	return found, err
}

// messageRow returns a line in the form of the API.
func (c call) messageRow(of Session, l lines.Line) messageRow {
	return messageRow{l.ID, of.Summary.GetId(), l.Kind, string(l.JSON), naive(l.At), c.caller.id(), "claude", nil}
}

// pauseSession stops the agent of a session. The next message, or /resume, starts it again.
func pauseSession(c call) (any, error) {
	found, err := c.own()
	if err != nil {
		return nil, err
	}
	return http.StatusAccepted, c.daemon.Stop(c, found.Summary.GetId())
}

// resumeSession continues a session that waits for a person.
func resumeSession(c call) (any, error) {
	found, err := c.own()
	if err != nil {
		return nil, err
	}
	return http.StatusAccepted, c.daemon.Continue(c, found.Summary.GetId())
}

// forkSession creates a session that begins with the conversation of another.
func forkSession(c call) (any, error) {
	var body struct {
		Name string `json:"session_name"`
	}
	found, err := c.own()
	if err != nil {
		return nil, err
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	fork, err := c.daemon.Fork(c, found.Summary.GetId(), body.Name)
	if err != nil {
		return nil, err
	}
	made, err := c.daemon.Show(c, fork)
	if err != nil {
		return nil, err
	}
	return created{map[string]any{"session_id": fork, "session": c.shown(made)}}, nil
}

// own returns the session of the path, if the caller may type there and the daemon runs its agent.
func (c call) own() (Session, error) {
	found, err := c.steered()
	if err == nil && found.Summary.GetProxied() != nil {
		err = StateError{"the agent of this session runs under a proxy, which begins and ends it; /stop ends the session for good"}
	}
	return found, err
}
