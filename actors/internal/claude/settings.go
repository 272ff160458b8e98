package claude

import (
	"cmp"
	"encoding/json"
	"slices"
)

// DelegatedRules are permission rules that an agent is given in addition to its user's own.
type DelegatedRules struct {
	Ask  []string `json:"ask,omitempty"`
	Deny []string `json:"deny,omitempty"`
}

type delegatedSettings struct {
	Permissions DelegatedRules  `json:"permissions"`
	Hooks       json.RawMessage `json:"hooks,omitempty"`
	HooksOff    *bool           `json:"disableAllHooks,omitempty"` // takes precedence over the files of the user and of a directory
}

// holdChanges is a hook that makes the agent refuse changes of its directory's settings and skills
// while it runs. Without the hook it would obey them about a second later, in the middle of a call.
// The daemon compares the directory with what is trusted, and restarts the agent. Changes of the
// user's settings are not refused.
const holdChanges = `{"ConfigChange":[{"matcher":"project_settings|local_settings|skills","hooks":[{"type":"command","command":"exit 2","timeout":5}]}]}`

// withHook adds the hook to the settings of a command line. No file can turn it off, except
// that of the user, in which case the command line has all hooks off already.
func withHook(argv []string) []string {
	var handed delegatedSettings
	for n := 0; n+1 < len(argv); n++ {
		if argv[n] == settingsFlag && json.Unmarshal([]byte(argv[n+1]), &handed) == nil {
			handed.Hooks, handed.HooksOff = json.RawMessage(holdChanges), cmp.Or(handed.HooksOff, new(bool))
			argv[n+1] = handed.encode()
			return argv
		}
	}
	handed.Hooks, handed.HooksOff = json.RawMessage(holdChanges), new(bool)
	at := slices.Index(argv, "--verbose") + 1 // before values that could look like an option
	return slices.Insert(argv, at, settingsFlag, handed.encode())
}

// withHooksOff turns off all hooks in the settings of a command line.
func withHooksOff(argv []string) []string {
	off := true
	var handed delegatedSettings
	for n := 0; n+1 < len(argv); n++ {
		if argv[n] == settingsFlag && json.Unmarshal([]byte(argv[n+1]), &handed) == nil {
			handed.HooksOff = &off
			argv[n+1] = handed.encode()
			return argv
		}
	}
	return append(argv, settingsFlag, delegatedSettings{HooksOff: &off}.encode())
}

// HooksOff reports whether settings of the agent's user turn off all hooks.
func HooksOff(settings []byte) bool {
	var all map[string]json.RawMessage // a map compares member names exactly
	var off bool
	return json.Unmarshal(settings, &all) == nil && json.Unmarshal(all["disableAllHooks"], &off) == nil && off
}

// settingsFlag takes a JSON object of settings, which apply in addition to the user's files.
const settingsFlag = "--settings"

// settings returns the value of the flag.
func (r DelegatedRules) settings() string { return delegatedSettings{Permissions: r}.encode() }

func (s delegatedSettings) encode() string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic("encode settings: " + err.Error()) // lists of texts, and a constant
	}
	return string(raw)
}

// ApplyRulesLine gives a running agent rules, in place of those that it was given the same
// way before. They apply in addition to those of its command line, from the next tool call on.
func ApplyRulesLine(id string, r DelegatedRules) []byte {
	// Empty lists are sent too: a missing list changes nothing.
	type lists struct {
		Ask  []string `json:"ask"`
		Deny []string `json:"deny"`
	}
	full := func(list []string) []string { return append([]string{}, list...) }
	return request(id, struct {
		Subtype  string `json:"subtype"`
		Settings any    `json:"settings"`
	}{"apply_flag_settings", struct {
		Permissions lists `json:"permissions"`
	}{lists{full(r.Ask), full(r.Deny)}}})
}

// RulesOf returns the rules that a command line of [Argv] gives the agent.
func RulesOf(argv []string) DelegatedRules {
	var rules DelegatedRules
	for n := 0; n < len(argv); n++ {
		switch argv[n] {
		case settingsFlag:
			var s delegatedSettings
			if n+1 < len(argv) && json.Unmarshal([]byte(argv[n+1]), &s) == nil {
				rules.Ask = append(rules.Ask, s.Permissions.Ask...)
				rules.Deny = append(rules.Deny, s.Permissions.Deny...)
			}
			n++
		case "--disallowedTools":
			for n+1 < len(argv) && !isFlag(argv[n+1]) {
				n++
				rules.Deny = append(rules.Deny, argv[n])
			}
		}
	}
	return rules
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }
