package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// step is one thing a turn does.
type step struct {
	arg   string
	slash bool // prints its own init and result
	plain bool // an answer to a prompt without verbs
	do    func(t *turn, arg string) error
}

// behaviour is one row of the table of verbs.
type behaviour struct {
	do    func(t *turn, arg string) error
	fatal bool // ends or hangs the process: once per session and prompt
}

// behaviours is the table of verbs; the package comment describes each.
func behaviours() map[string]behaviour {
	return map[string]behaviour{
		"echo":      {do: echo},
		"until":     {do: until},
		"stream":    {do: stream},
		"flood":     {do: flood},
		"think":     {do: think},
		"sleep":     {do: sleep},
		"gate":      {do: gate},
		"run":       {do: runCommand},
		"tool":      {do: tool},
		"tools":     {do: tools},
		"ask":       {do: question},
		"plan":      {do: plan},
		"subagent":  {do: subagent},
		"bg":        {do: background},
		"bg-ask":    {do: backgroundAsk},
		"error":     {do: refused},
		"limited":   {do: limited},
		"retry":     {do: retried},
		"withdraw":  {do: withdrawn},
		"supersede": {do: superseded},
		"refuse":    {do: refusedByModel},
		"task-turn": {do: func(t *turn, _ string) error {
			t.after = append(t.after, func() { t.a.notices = append(t.a.notices, newID("run")) })
			return t.sayf("One more turn follows.")
		}},

		"exit":           {do: exit, fatal: true},
		"torn-exit":      {do: tornExit, fatal: true},
		"hang":           {do: hang, fatal: true},
		"deaf":           {do: deaf, fatal: true},
		"garbage":        {do: garbage},
		"noise":          {do: noise},
		"blank":          {do: blank},
		"crlf":           {do: crlf},
		"invalid-utf8":   {do: invalidUTF8},
		"biglines":       {do: bigLines},
		"no-result":      {do: func(*turn, string) error { return errNoResult }},
		"ignore-sigterm": {do: ignoreSignals},
		"stderr":         {do: toStderr},
		"dup-request-id": {do: duplicateRequest},
		"unknown-type":   {do: unknownTypes},
	}
}

// slashes are the slash commands; a prompt that is one of them is nothing else.
func slashes() map[string]func(*turn, string) error {
	return map[string]func(*turn, string) error{"/clear": clearCommand, "/compact": compactCommand, "/cost": costCommand}
}

// parseSteps reads a prompt.
func parseSteps(prompt string) []step {
	if do, ok := slashes()[strings.TrimSpace(prompt)]; ok {
		return []step{{do: do, slash: true, arg: prompt}}
	}
	known := behaviours()
	var steps []string
	for line := range strings.SplitSeq(prompt, "\n") {
		if _, _, ok := parseLine(known, line); ok || len(steps) == 0 {
			steps = append(steps, line)
		} else {
			steps[len(steps)-1] += "\n" + line
		}
	}
	first, _, _ := strings.Cut(steps[0], "\n")
	if _, _, ok := parseLine(known, first); !ok {
		return []step{plainStep(prompt)}
	}
	parsed := make([]step, len(steps))
	for i, s := range steps {
		line, more, several := strings.Cut(s, "\n")
		parsed[i], _, _ = parseLine(known, line)
		if several { // lines without a verb belong to the argument of the one above them
			parsed[i].arg += "\n" + more
		}
	}
	return parsed
}

func plainStep(prompt string) step {
	return step{arg: prompt, plain: true, do: func(t *turn, arg string) error { return t.sayf("You said: %s", arg) }}
}

// parseLine reads "always:early:verb:argument".
func parseLine(known map[string]behaviour, line string) (s step, verb string, ok bool) {
	var always, early bool
	rest := line
	for {
		if r, found := strings.CutPrefix(rest, "always:"); found {
			rest, always = r, true
		} else if r, found := strings.CutPrefix(rest, "early:"); found {
			rest, early = r, true
		} else {
			break
		}
	}
	verb, arg, _ := strings.Cut(rest, ":")
	b, ok := known[verb]
	if !ok {
		return step{}, "", false
	}
	s = step{arg: arg, do: b.do}
	if b.fatal {
		s.do = func(t *turn, arg string) error { return t.fatally(line, always, early, b.do, arg) }
	}
	return s, verb, true
}

// fatally does something that ends the process: not for the second time unless
// always, and with the turn on disk unless early.
func (t *turn) fatally(line string, always, early bool, do func(*turn, string) error, arg string) error {
	sum := sha256.Sum256([]byte(line))
	mark := filepath.Join(t.a.home, ".fake-agent", t.a.session.get()+".did-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(mark); err == nil && !always {
		return t.sayf("Survived: %s", line)
	}
	if err := appendFile(mark, nil); err != nil {
		return t.sayf("Cannot: %v", err)
	}
	if !early {
		t.a.disk.flush()
	}
	return do(t, arg)
}

// size reads "100", "64KB" or "20MB".
func size(s string, otherwise int) int {
	unit := 1
	for suffix, u := range map[string]int{"KB": 1 << 10, "MB": 1 << 20} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = number, u
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n * unit
}

// duration reads a Go duration.
func duration(s string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(s); err == nil {
		return d
	}
	return otherwise
}

// fields splits an argument at colons into exactly n parts.
func fields(arg string, n int) []string {
	parts := strings.Split(arg, ":")
	return append(parts, make([]string, n)...)[:n]
}

// filler is n bytes of text.
func filler(n int) string {
	const line = "All work and no play makes a dull log. "
	return strings.Repeat(line, n/len(line)+1)[:n]
}

func statusText(status int) string { return fmt.Sprintf("%d fake error", status) }
