package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

const (
	turnsEach   = 10
	eventsEach  = turnsEach * turnEvents
	directories = 200
	groupSize   = 500 // sessions in one transaction
)

// projects is where the sessions of the past worked. It does not exist: nothing starts an agent there.
const projects = "/srv/projects"

// writePast writes sessions that have rested for long into a journal, and returns their ids, the oldest first.
func writePast(directory string, sessions int) (ids []messages.SessionID, err error) {
	store, err := persistence.Open(persistence.Options{Directory: directory})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	texts := newProse()
	begin := time.Now().Add(-time.Duration(sessions) * time.Minute)
	for len(ids) < sessions {
		var group []messages.Append
		for range min(groupSize, sessions-len(ids)) {
			id := messages.SessionID(uuid.NewString())
			group = append(group, pastSession(texts, id, len(ids), begin.Add(time.Duration(len(ids))*time.Minute)))
			ids = append(ids, id)
		}
		for _, err := range store.Commit(group) {
			if err != nil {
				return nil, err
			}
		}
		if store.SealDue() {
			if err := store.Seal(); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// pastSession is the whole life of a session in one commit.
func pastSession(p *prose, id messages.SessionID, place int, at time.Time) messages.Append {
	a := messages.Append{Session: id, Commit: 1}
	for range turnsEach {
		a.Events = append(a.Events, p.turn(id, messages.Seq(len(a.Events)+1), at)...) //nolint:gosec // there are a hundred
	}
	name := ""
	if place%2 == 0 {
		name = fmt.Sprintf("task-%05d", place)
	}
	a.Record = &messages.SessionRecord{
		ID: id, Name: name, WorkingDirectory: filepath.Join(projects, fmt.Sprintf("repository-%03d", place%directories)),
		Phase: messages.PhaseIdle, Head: eventsEach, Status: pb.AgentStatus_IDLE.String(), AgentModel: "claude-opus-4-5", Messages: 12,
		Usage:   messages.Usage{InputTokens: 12_000, OutputTokens: 3_000, CostUSD: 0.42},
		Preview: "The tests pass now; the failure was in the fixture that all of them share.", CreatedAt: at, UpdatedAt: at,
	}
	return a
}
