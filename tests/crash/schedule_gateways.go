package main

import (
	"math/rand/v2"
	"time"

	"betcode/messages/failpoint"
)

// Rounds with gateways. The first session is that of other rounds; all others are sessions of [gateways].

// withGateways reports whether the round of a seed has gateways.
func withGateways(seed uint64) bool { return rand.New(rand.NewPCG(seed, 31)).IntN(6) == 0 }

// gatewaySchedule generates the schedule of a round with gateways.
func gatewaySchedule(seed uint64) schedule {
	dice := rand.New(rand.NewPCG(seed, 29))
	s := schedule{seed: seed, sessions: 1, gateways: true, socket: true}
	if dice.IntN(2) == 0 {
		s.dues = 3 + dice.IntN(60)
	}
	armed := false
	for i := range 6 + dice.IntN(5) {
		p := phase{after: time.Duration(dice.IntN(400)) * time.Millisecond}
		if dice.IntN(4) > 0 { // else they are killed while they begin
			p.serve, p.work = true, 1+dice.IntN(5)
		}
		p.kill.victims = gatewayVictims(dice)
		if armed && dice.IntN(3) > 0 { // the daemon before was killed, so this one can be armed
			names := ends()
			if dice.IntN(2) == 0 {
				names = []string{failpoint.ProxyFrames, failpoint.ProxyTaken, failpoint.ProxySend}
			}
			p.kill = kill{point: newPoint(dice, names, "kill"), victims: []string{"daemon"}}
		}
		armed = p.kill.strikes("daemon", 0)
		if dice.IntN(2) == 0 {
			p.inputs = []input{{prompt: "run:echo said-" + string(rune('a'+i))}}
		}
		s.phases = append(s.phases, p)
	}
	return s
}

// gatewayVictims are the processes that are killed together.
func gatewayVictims(dice *rand.Rand) []string {
	all := [][]string{
		{"portal"},
		{"portal"},
		{"portal"},
		{"socket"},
		{"proxy"},
		{"proxy"},
		{"daemon"},
		{"daemon"},
		{"portal", "daemon"},
		{"proxy", "daemon"},
		{"socket", "daemon"},
		{"portal", "proxy"},
		{"portal", "socket", "proxy", "daemon"},
		{"g1"},
		{"g2"},
		{"g3"},
		{"g1", "portal"},
		{"g3", "daemon"},
		{"leave"},
		{"restart"},
	}
	return all[dice.IntN(len(all))]
}
