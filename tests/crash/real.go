package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"betcode/tests/claudecli"
	"betcode/tests/model"
)

// agentKind is the kind of agent that a round uses.
type agentKind struct {
	path    string
	environ []string
	// accepted counts how often messages are in the conversation of a session's
	// agent, by their keys.
	accepted func(r *round, c *client, conversation string) (map[string]int, error)
	close    func() error
}

// tireless makes daemons continue a turn however often its agent was killed, because the rounds kill
// agents at random.
const tireless = "BETCODE_RESUME_TIMES=1000"

// fakeCrew is the scripted agent.
func fakeCrew(b binaries) agentKind {
	return agentKind{b.fake, []string{tireless}, (*round).inTranscript, func() error { return nil }}
}

// realCrew is the pinned Claude Code with a scripted model on loopback, which is
// also the oracle: the requests that it got are the conversation.
func realCrew(ctx context.Context) (agentKind, error) {
	path, err := claudecli.Ensure(ctx, os.Stderr)
	if err != nil {
		return agentKind{}, err
	}
	script, err := model.Ready("default")
	if err != nil {
		return agentKind{}, err
	}
	server, err := model.New(script)
	if err != nil {
		return agentKind{}, err
	}
	environ := []string{
		"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1", "SHELL=/bin/bash", tireless,
	}
	accepted := func(_ *round, c *client, _ string) (map[string]int, error) {
		counts := map[string]int{}
		for _, m := range c.said {
			counts[m.key] = occurrences(server.Requests(), m.text)
		}
		return counts, nil
	}
	return agentKind{path, environ, accepted, server.Close}, nil
}

// occurrences is how often the newest conversation that knows a prompt holds it.
func occurrences(requests []model.Request, prompt string) int {
	for i := len(requests) - 1; i >= 0; i-- {
		if n := requests[i].Conversation.Count(prompt); n > 0 {
			return n
		}
	}
	return 0
}

// realSchedule is a schedule for the real agent, with fewer messages and more time.
func realSchedule(seed uint64) schedule {
	dice := rand.New(rand.NewPCG(seed, 2))
	s := schedule{seed: seed, sessions: 1}
	for i := range 2 + dice.IntN(2) {
		p := phase{after: time.Duration(dice.IntN(3000)) * time.Millisecond, kill: newKill(dice, s.sessions)}
		for j := range 1 + dice.IntN(2) {
			name := fmt.Sprintf("[%d-%d-%d]", seed, i, j)
			prompts := []string{"say " + name, "story please " + name, "tool please " + name, "run: echo " + name}
			p.inputs = append(p.inputs, input{prompt: prompts[dice.IntN(len(prompts))], wait: time.Duration(dice.IntN(500)) * time.Millisecond})
		}
		s.phases = append(s.phases, p)
	}
	return s
}
