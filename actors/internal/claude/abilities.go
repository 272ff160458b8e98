package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"betcode/messages"
)

// Bounds of the agent's reports about itself, as of all its output.
const (
	maxAbilities = 1000
	maxAbility   = 1 << 10 // a description
)

// abilities returns the abilities in the line that begins a turn: names, and which are skills.
func (t *translation) abilities() messages.Abilities {
	a := messages.Abilities{Skills: names(t.l.Skills)}
	for _, name := range names(t.l.Commands) {
		a.Commands = append(a.Commands, messages.AgentCommand{Name: name})
	}
	for _, name := range names(t.l.AgentNames) {
		a.Agents = append(a.Agents, messages.AgentType{Name: name})
	}
	return a
}

// names returns the names that can be shown, each once, in their order; nil stays nil.
func names(all []string) []string {
	if all == nil {
		return nil
	}
	known := make([]string, 0, min(len(all), maxAbilities))
	for _, name := range all {
		if name = key(name); offered(name) && len(known) < maxAbilities && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known
}

// offered reports whether a name is one that people use. The agent has others, for
// programs that it knows.
func offered(name string) bool { return name != "" && !strings.HasPrefix(name, "__") }

// initializeAnswer has the members that are read of the answer to an [InitializeLine].
type initializeAnswer struct {
	Commands []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Arguments   string `json:"argumentHint"`
	} `json:"commands"`
	Agents []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"agents"`
	Models json.RawMessage `json:"models"`
}

// ParseAbilities reads the answer to an [InitializeLine], which does not mark the commands
// that are skills.
func ParseAbilities(response []byte) (messages.Abilities, error) {
	var r initializeAnswer
	if err := json.Unmarshal(response, &r); err != nil {
		return messages.Abilities{}, &messages.Error{Op: "read abilities", Kind: messages.Internal, Err: err}
	}
	var a messages.Abilities
	seen := map[string]bool{}
	for _, c := range r.Commands {
		name := key(c.Name)
		if offered(name) && !seen["/"+name] && len(a.Commands) < maxAbilities {
			seen["/"+name] = true
			a.Commands = append(a.Commands, messages.AgentCommand{Name: name, Description: oneLine(c.Description, maxAbility), Arguments: oneLine(c.Arguments, maxCarried)})
		}
	}
	for _, t := range r.Agents {
		name := key(t.Name)
		if offered(name) && !seen["@"+name] && len(a.Agents) < maxAbilities {
			seen["@"+name] = true
			a.Agents = append(a.Agents, messages.AgentType{Name: name, Description: oneLine(t.Description, maxAbility)})
		}
	}
	a.Models = models(r.Models)
	return a, nil
}

// models returns the names by which a model can be requested. A caller that wants the agent's
// default names none.
func models(raw []byte) []string {
	var listed []struct {
		Value string `json:"value"`
	}
	_ = json.Unmarshal(raw, &listed) // after an error it has the members that could be read
	var all []string
	for _, m := range listed {
		if m.Value != "default" {
			all = append(all, m.Value)
		}
	}
	return names(all)
}
