package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"betcode/messages"
)

// What an agent tells of itself is bounded, as everything it writes.
const (
	maxAbilities = 1000
	maxAbility   = 1 << 10 // a description
)

// abilities is what the beginning of a turn tells: names, and which are skills.
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

// names are those that can be shown, each once, in their order; nil stays nil.
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

// offered reports whether a name is one that people use: the agent has others, for
// programs that it knows.
func offered(name string) bool { return name != "" && !strings.HasPrefix(name, "__") }

// initializeAnswer is what is read of the answer to an [InitializeLine].
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

// ParseAbilities reads the answer to an [InitializeLine]. It does not say which
// commands are skills.
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

// models are the names by which a model can be asked for. A caller that wants the agent's default
// names none.
func models(raw []byte) []string {
	var told []struct {
		Value string `json:"value"`
	}
	_ = json.Unmarshal(raw, &told) // with an error it holds what could be read
	var all []string
	for _, m := range told {
		if m.Value != "default" {
			all = append(all, m.Value)
		}
	}
	return names(all)
}
