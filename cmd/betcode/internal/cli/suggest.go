package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// purposes maps words that people know from other programs to commands.
var purposes = map[string]string{
	"list": "ps", "ls": "ps", "sessions": "ps", "top": "ps --watch", "exec": "run", "ask": "run", "prompt": "run", "open": "attach", "connect": "attach", "join": "attach",
	"log": "logs", "tail": "logs -f", "kill": "stop", "interrupt": "session cancel", "rm": "session delete", "delete": "session delete", "remove": "session delete",
	"create": "new", "start": "daemon start", "restart": "daemon restart", "up": "daemon start", "down": "daemon stop", "inspect": "session show", "show": "session show",
	"wait": "session wait", "resume": "session resume", "fork": "session fork", "cancel": "session cancel", "prune": "session prune", "budget": "session budget",
	"rename": "session rename", "export": "session export", "approve": "permission allow", "allow": "permission allow", "deny": "permission deny",
	"perm": "permission", "settings": "config", "set": "config set", "get": "config get", "backup": "journal backup", "info": "status", "agents": "ps", "plan": "orchestrate plan",
	"grep": "search", "find": "search", "history": "search", "summary": "digest", "away": "digest", "news": "digest", "login": "doctor", "check": "doctor", "format": "formatting", "exit": "exit-codes", "env": "environment", "variables": "environment",
}

// suggest returns the command that is most likely meant by an unknown name; empty if none is near. A purpose counts at the top
// level only. Hidden commands are never suggested.
func suggest(commands []*cli.Command, name string, top bool) string {
	name = strings.ToLower(name)
	if purpose := purposes[name]; top && purpose != "" {
		return purpose
	}
	var near nearest
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		for _, candidate := range c.Names() {
			near.take(name, candidate, c.Name)
		}
	}
	best := near.best
	if best == "" && top {
		for _, word := range purposeWords() {
			if editDistance(name, word) == 1 && len(name) > 3 {
				return purposes[word]
			}
		}
	}
	return best
}

// nearest is the candidate that is most like a word. A beginning counts most, then few wrong letters: as many as a third of the word.
type nearest struct {
	best  string // what the candidate means
	found bool
	least int
}

// take considers a candidate.
func (n *nearest) take(word, candidate, means string) {
	if len(candidate) < 2 || len(word) < 2 {
		return
	}
	distance := editDistance(word, candidate)
	if strings.HasPrefix(candidate, word) {
		distance = 0
	}
	if distance <= len(word)/3 && (!n.found || distance < n.least) {
		n.best, n.found, n.least = means, true, distance
	}
}

// purposeWords returns the words of [purposes] in a fixed order.
func purposeWords() []string {
	words := make([]string, 0, len(purposes))
	for word := range purposes {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// editDistance returns how many letters have to be inserted, removed, replaced or swapped with their neighbour.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
