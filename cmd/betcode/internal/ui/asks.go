package ui

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

const (
	patience        = 3 * time.Second
	commandPatience = 30 * time.Second // stopping an agent takes longest
	listed          = 500              // sessions in the list
	hits            = 50               // of a search
	drawn           = 8                // plans with their steps; older ones are in betcode orchestrate list
)

// asks asks the daemon. Its methods wait, so they run in goroutines of their own.
type asks struct {
	ctx    context.Context
	client *client.Client
}

// list asks for the sessions.
func (a asks) list() sessions {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	r, err := a.client.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: listed})
	return sessions{r, err}
}

// digest requests the digest since a time.
func (a asks) digest(since time.Time) (*pb.DigestResponse, error) {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	return a.client.Search.Digest(ctx, &pb.DigestRequest{Since: timestamppb.New(since)})
}

// search asks for the hits of a query.
func (a asks) search(query string) searched {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	r, err := a.client.Search.Search(ctx, &pb.SearchRequest{Query: query, PageSize: hits})
	return searched{query, r, err}
}

// opening returns the request to attach to a session.
func (a asks) opening(session string) (talk.Opening, error) {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	r, err := a.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: session})
	if err != nil {
		return talk.Opening{}, err
	}
	return talk.Opening{
		Start: &pb.StartConversation{SessionId: r.GetSummary().GetId()}, Head: r.GetHead(), Directory: r.GetSummary().GetWorkingDirectory(),
	}, nil
}

// plans asks for the newest orchestrations with their steps.
func (a asks) plans() plansFound {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	r, err := a.client.Subagent.ListOrchestrations(ctx, &pb.ListOrchestrationsRequest{})
	found := r.GetOrchestrations()
	found = found[:min(len(found), drawn)]
	for i := range found {
		whole, gone := a.client.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: found[i].GetId()})
		if gone == nil {
			found[i] = whole
		}
	}
	return plansFound{found, err}
}

// run performs a command of the list. It returns a message for the person.
func (a asks) run(c Command) string {
	ctx, cancel := context.WithTimeout(a.ctx, commandPatience)
	defer cancel()
	var err error
	switch c.Name {
	case "stop":
		_, err = a.client.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: c.Session})
	case "resume":
		_, err = a.client.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: c.Session})
	case "cancel":
		_, err = a.client.Agent.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: c.Session})
	case "rename":
		_, err = a.client.Agent.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: c.Session, Name: c.Argument})
	}
	if err != nil {
		return c.Name + ": " + reason(err)
	}
	return "done: " + c.Name + " " + console.ShortID(c.Session)
}

// unanswered reports whether a call failed because no daemon answered it, or not in time.
func unanswered(err error) bool {
	return client.Unreachable(err) || status.Code(err) == codes.DeadlineExceeded
}

// reason returns the daemon's error on one line.
func reason(err error) string { return console.Line(status.Convert(err).Message()) }
