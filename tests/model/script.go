package model

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed scripts/*.json
var ready embed.FS

// Script maps requests to answers of the model; the package comment has the format.
type Script struct {
	About   string   `json:"about"`
	Include []string `json:"include"` // ready scripts whose rules come first
	Rules   []Rule   `json:"rules"`
}

// Rule is one answer with its condition.
type Rule struct {
	Name  string `json:"name"`
	When  When   `json:"when"`
	Times int    `json:"times"` // 0 is without limit
	Reply []Step `json:"reply"`
}

// When is the condition of a [Rule]. Absent members ask for nothing.
type When struct {
	Prompt   Pattern `json:"prompt"`
	After    int     `json:"after"` // -1 is any
	Tool     string  `json:"tool"`
	Result   Pattern `json:"result"`
	Subagent *bool   `json:"subagent"`
	Model    Pattern `json:"model"`
}

// Step is one part of a reply. Exactly one of the members of the first group is
// set.
type Step struct {
	Text        *string         `json:"text"`
	Words       int             `json:"words"`
	Thinking    *string         `json:"thinking"`
	Tool        string          `json:"tool"`
	Hold        string          `json:"hold"`
	Wait        Duration        `json:"wait"`
	Error       int             `json:"error"`
	StreamError string          `json:"stream_error"`
	Cut         bool            `json:"cut"`
	StopReason  string          `json:"stop_reason"`
	Usage       json.RawMessage `json:"usage"`

	Input      json.RawMessage `json:"input"`  // of tool
	Delay      Duration        `json:"delay"`  // before each delta
	Chunk      int             `json:"chunk"`  // bytes of a delta
	Repeat     int             `json:"repeat"` // of text
	Unfinished bool            `json:"unfinished"`
	Type       string          `json:"type"` // of error
	Message    string          `json:"message"`
	RetryAfter string          `json:"retry_after"`
}

// Ready returns the script scripts/<name>.json of this package.
func Ready(name string) (Script, error) {
	b, err := ready.ReadFile("scripts/" + name + ".json")
	if err != nil {
		return Script{}, fmt.Errorf("no script %q; there are %s", name, strings.Join(Names(), ", "))
	}
	s, err := Parse(b)
	if err != nil {
		return Script{}, fmt.Errorf("script %s: %w", name, err)
	}
	return s, nil
}

// Names lists the ready scripts.
func Names() []string {
	entries, err := ready.ReadDir("scripts")
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names)
	return names
}

// Parse reads a script. A member it does not know is an error.
func Parse(b []byte) (Script, error) {
	var s Script
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parse script: %w", err)
	}
	if err := s.check(); err != nil {
		return Script{}, err
	}
	var all []Rule
	for _, name := range s.Include {
		included, err := Ready(name)
		if err != nil {
			return Script{}, err
		}
		all = append(all, included.Rules...)
	}
	s.Rules = append(all, s.Rules...)
	return s, nil
}

// check names the rules and refuses invalid ones.
func (s *Script) check() error {
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.Name == "" {
			r.Name = fmt.Sprint(i + 1)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("rule %s: %w", r.Name, err)
		}
	}
	return nil
}

func (r *Rule) check() error {
	if len(r.Reply) == 0 {
		return errors.New("has no reply")
	}
	for i, s := range r.Reply {
		kinds := 0
		for _, set := range []bool{
			s.Text != nil, s.Words > 0, s.Thinking != nil, s.Tool != "", s.Hold != "", s.Wait > 0,
			s.Error != 0, s.StreamError != "", s.Cut, s.StopReason != "", s.Usage != nil,
		} {
			if set {
				kinds++
			}
		}
		if kinds != 1 {
			return fmt.Errorf("step %d of its reply has %d kinds, want one", i+1, kinds)
		}
		if s.Error != 0 && i > 0 {
			return fmt.Errorf("step %d of its reply is an error after the answer has begun", i+1)
		}
	}
	return nil
}

// Pattern is a regular expression in a script; the zero value matches all.
type Pattern struct{ *regexp.Regexp }

// UnmarshalText compiles it.
func (p *Pattern) UnmarshalText(b []byte) (err error) {
	p.Regexp, err = regexp.Compile(string(b))
	return err
}

// Matches reports whether text has it.
func (p Pattern) Matches(text string) bool { return p.Regexp == nil || p.MatchString(text) }

// Duration is a Go duration in a script, such as "20ms".
type Duration time.Duration

// UnmarshalText parses it.
func (d *Duration) UnmarshalText(b []byte) error {
	parsed, err := time.ParseDuration(string(b))
	*d = Duration(parsed)
	return err
}
