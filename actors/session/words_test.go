package session

import (
	"fmt"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/permission"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// The words of the scenarios: what clients ask for and what agents say.

func start(client messages.ClientID) messages.StartSession {
	return messages.StartSession{Session: sessionA, Client: client, Name: "work", WorkingDirectory: "/src", Model: "opus"}
}

func input(client messages.ClientID, key string) messages.SendInput {
	return messages.SendInput{Session: sessionA, Client: client, Key: key, Content: "do " + key}
}

func cancel(client messages.ClientID) messages.CancelTurn {
	return messages.CancelTurn{Session: sessionA, Client: client}
}

func attach(client messages.ClientID, name string) messages.Attach {
	return messages.Attach{Session: sessionA, Client: client, Stream: name, Approves: true}
}

func observer(name string) messages.Attach {
	return messages.Attach{Session: sessionA, Client: messages.ClientID(name), Stream: name, Observer: true}
}

func take(client messages.ClientID) messages.TakeLock {
	return messages.TakeLock{Session: sessionA, Client: client}
}

func release(client messages.ClientID) messages.ReleaseLock {
	return messages.ReleaseLock{Session: sessionA, Client: client}
}

func answer(client messages.ClientID, id messages.RequestID, d messages.Decision) messages.AnswerPermission {
	return messages.AnswerPermission{Session: sessionA, Client: client, Request: id, Decision: d}
}

// won is what the actor of a permission tells about the first answer.
func won(a messages.AnswerPermission) permission.Decided {
	return permission.Decided{From: asker(a), PermissionDecided: messages.PermissionDecided{Answer: a, By: string(a.Client), At: dawn}}
}

// expired is what it tells about its deadline.
func expired(id messages.RequestID) permission.Decided {
	a := messages.AnswerPermission{Session: sessionA, Request: id, Decision: messages.DecisionExpired}
	return permission.Decided{PermissionDecided: messages.PermissionDecided{Answer: a, By: "deadline", At: dawn}}
}

func heard(key string, state claude.Lifecycle) claude.Item {
	return claude.InputState{Key: key, State: state}
}

// took is how an agent begins a turn about messages.
func took(keys ...string) []claude.Item {
	var items []claude.Item
	for _, key := range keys {
		items = append(items, heard(key, claude.Queued), heard(key, claude.Started))
	}
	return append(items, begun())
}

// begun is the beginning of a turn, whatever it is about.
func begun() claude.Item { return claude.TurnStarted{Model: "opus", AgentSession: string(sessionA)} }

// finished is the end of a turn that has answered messages.
func finished(keys ...string) claude.Item {
	return claude.TurnEnded{Inputs: keys, StopReason: "end_turn"}
}

// aborted is the end of a turn that was interrupted.
func aborted(keys ...string) claude.Item {
	return claude.TurnEnded{Inputs: keys, StopReason: "cancelled", IsError: true}
}

// compact asks for a compaction.
func compact(key string) messages.CompactSession {
	return messages.CompactSession{Session: sessionA, Key: key}
}

// text is a piece of text.
func text(words string) claude.Item {
	return claude.Draft{Event: &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: words}}}}
}

// asks is a request to use a tool.
func asks(id, tool string) claude.PermissionAsked {
	return claude.PermissionAsked{Request: id, Tool: tool, Input: []byte(`{"command":"ls"}`), At: dawn}
}

// questions is an AskUserQuestion.
func questions(id string, texts ...string) claude.PermissionAsked {
	list := ""
	for i, text := range texts {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"question":%q,"options":[{"label":"yes"},{"label":"no"}]}`, text)
	}
	return claude.PermissionAsked{
		Request: id, Tool: "AskUserQuestion", Input: []byte(`{"questions":[` + list + `]}`),
		Question: true, NeedsPerson: true, At: dawn,
	}
}

// inTranscript is the result of reading the transcript of a run: it contains the messages with these keys.
func inTranscript(run messages.RunNumber, keys ...string) recall.Answer {
	m := recall.Answer{Run: run, Known: map[string]bool{}, Found: true}
	for _, key := range keys {
		m.Known[key] = true
	}
	return m
}
