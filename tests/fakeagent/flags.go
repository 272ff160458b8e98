package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// options are the flags, as far as they change anything.
type options struct {
	version, print, verbose        bool
	partial, replay, forwardAgents bool
	mayBypass, bypass, fork        bool
	inputFormat, outputFormat      string
	promptTool, sessionID, resume  string
	model, mode                    string
	allowedTools, disallowedTools  []string
}

// arity is the number of arguments of a flag.
type arity int

const (
	none arity = iota
	one
	many // up to the next flag; commas separate too
)

// flag is one row of the table of flags.
type flag struct {
	arity arity
	set   func(o *options, values []string)
}

func yes(field func(*options) *bool) flag {
	return flag{none, func(o *options, _ []string) { *field(o) = true }}
}

func text(field func(*options) *string) flag {
	return flag{one, func(o *options, v []string) { *field(o) = v[0] }}
}

func list(field func(*options) *[]string) flag {
	return flag{many, func(o *options, v []string) { *field(o) = append(*field(o), v...) }}
}

// ignored is a flag of the real one that changes nothing here.
func ignored(a arity) flag { return flag{a, func(*options, []string) {}} }

// flags is every flag understood. Anything else is refused, as the real one does.
var flags = map[string]flag{
	"-v":                                   yes(func(o *options) *bool { return &o.version }),
	"--version":                            yes(func(o *options) *bool { return &o.version }),
	"-p":                                   yes(func(o *options) *bool { return &o.print }),
	"--print":                              yes(func(o *options) *bool { return &o.print }),
	"--verbose":                            yes(func(o *options) *bool { return &o.verbose }),
	"--include-partial-messages":           yes(func(o *options) *bool { return &o.partial }),
	"--replay-user-messages":               yes(func(o *options) *bool { return &o.replay }),
	"--forward-subagent-text":              yes(func(o *options) *bool { return &o.forwardAgents }),
	"--fork-session":                       yes(func(o *options) *bool { return &o.fork }),
	"--dangerously-skip-permissions":       yes(func(o *options) *bool { return &o.bypass }),
	"--allow-dangerously-skip-permissions": yes(func(o *options) *bool { return &o.mayBypass }),
	"--input-format":                       text(func(o *options) *string { return &o.inputFormat }),
	"--output-format":                      text(func(o *options) *string { return &o.outputFormat }),
	"--permission-prompt-tool":             text(func(o *options) *string { return &o.promptTool }),
	"--session-id":                         text(func(o *options) *string { return &o.sessionID }),
	"-r":                                   text(func(o *options) *string { return &o.resume }),
	"--resume":                             text(func(o *options) *string { return &o.resume }),
	"--model":                              text(func(o *options) *string { return &o.model }),
	"--permission-mode":                    text(func(o *options) *string { return &o.mode }),
	"--allowedTools":                       list(func(o *options) *[]string { return &o.allowedTools }),
	"--allowed-tools":                      list(func(o *options) *[]string { return &o.allowedTools }),
	"--disallowedTools":                    list(func(o *options) *[]string { return &o.disallowedTools }),
	"--disallowed-tools":                   list(func(o *options) *[]string { return &o.disallowedTools }),
	"--tools":                              ignored(many),
	"--add-dir":                            ignored(many),
	"--mcp-config":                         ignored(many),
	"--agents":                             ignored(one),
	"--append-system-prompt":               ignored(one),
	"--effort":                             ignored(one),
	"--fallback-model":                     ignored(one),
	"--max-budget-usd":                     ignored(one),
	"--max-turns":                          ignored(one),
	"--name":                               ignored(one),
	"--setting-sources":                    ignored(one),
	"--settings":                           ignored(one),
	"--system-prompt":                      ignored(one),
	"--include-hook-events":                ignored(none),
	"--strict-mcp-config":                  ignored(none),
}

// modes are the permission modes a flag may name, in the order the real one
// lists them. "manual" is what a request calls "default".
var modes = []string{"acceptEdits", "auto", "bypassPermissions", "manual", "dontAsk", "plan"}

// parseFlags reads the command line. Positional arguments are ignored, as they
// are with stream-json input.
func parseFlags(args []string) (options, error) {
	o := options{model: "claude-opus-5-5", mode: "default"}
	for len(args) > 0 {
		name, value, attached := strings.Cut(args[0], "=")
		args = args[1:]
		if !strings.HasPrefix(name, "-") {
			continue
		}
		f, known := flags[name]
		if !known {
			return o, complain("error: unknown option '%s'", name)
		}
		var values []string
		if attached && f.arity != none {
			values = []string{value}
		}
		for f.arity != none && !attached && len(args) > 0 && (f.arity == many || len(values) == 0) {
			if f.arity == many && strings.HasPrefix(args[0], "-") {
				break
			}
			values, args = append(values, args[0]), args[1:]
		}
		if f.arity != none && len(values) == 0 {
			return o, complain("error: option '%s <value>' argument missing", name)
		}
		if f.arity == many {
			values = strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' })
		}
		f.set(&o, values)
	}
	return o, o.check()
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// check refuses the options that the real one refuses, with the same messages.
func (o *options) check() error {
	switch {
	case o.version:
		return nil
	case o.mode != "default" && !slices.Contains(modes, o.mode):
		return complain("error: option '--permission-mode <mode>' argument '%s' is invalid. Allowed choices are %s.",
			o.mode, strings.Join(modes, ", "))
	case o.outputFormat != "stream-json" || o.inputFormat != "stream-json":
		return complain("fake agent: only --input-format stream-json with --output-format stream-json is known")
	case !o.verbose:
		return complain("Error: When using --print, --output-format=stream-json requires --verbose")
	case o.sessionID != "" && !uuidPattern.MatchString(o.sessionID):
		return complain("Error: Invalid session ID. Must be a valid UUID.")
	case o.sessionID != "" && o.resume != "" && !o.fork:
		return complain("Error: --session-id with --continue or --resume also needs --fork-session.")
	case (o.bypass || o.mode == "bypassPermissions") && os.Getuid() == 0 && os.Getenv("IS_SANDBOX") == "":
		return complain("--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons")
	}
	if o.mode == "manual" {
		o.mode = "default"
	}
	if o.bypass {
		o.mode = "bypassPermissions"
	}
	return nil
}
