package rules

// Call is one tool call, as the agent asks about it.
type Call struct {
	Tool  string
	Input []byte // JSON
	Place Place  // where the session is
	// Real are the paths of the call and its place with symbolic links resolved
	// ([Resolve]). Zero: no path has a symbolic link.
	Real Real
}

// Place is the place of a call: absolute paths.
type Place struct{ Directory, Home string }

// call is a parsed call. Members that the tool does not have are empty.
type call struct {
	tool   string
	parts  []part    // of a shell command, in every reading, for rules that forbid
	plain  []part    // of a plain shell command, for rules that allow
	paths  []located // of a tool for files
	reads  []located // of a shell command, as far as they are written in it
	writes []located
	url    address
	kind   string // of a subagent, or the name of a skill
	opaque string // why an argument is unknown; only a bare rule covers it
	unread string // why parts of the call were not seen at all
	runs   string // why a shell command may run commands that are not written in it
	broken bool   // a shell command that cannot be parsed
}

// takeApart parses a call, and, with files, the files that a shell command names.
// It does not fail: a call that cannot be parsed is opaque.
func takeApart(c Call, files bool) *call {
	out := &call{tool: c.Tool}
	in := readInput(c.Tool, c.Input)
	argument, given := in.text(deciding[c.Tool])
	switch {
	case c.Tool == "Bash":
		if given {
			out.readCommand(argument, c, files)
		}
	case readers[c.Tool] || writers[c.Tool]:
		out.readPath(argument, in, c)
	case c.Tool == "WebFetch":
		out.url = readAddress(argument)
		out.opaque = out.url.odd
	default:
		out.kind = argument
	}
	out.opaque = first(in.why, first(in.steps(c.Tool), out.opaque))
	out.unread = first(in.why, out.unread)
	return out
}

// readCommand reads a shell command.
func (c *call) readCommand(command string, from Call, files bool) {
	if !files {
		c.parse(command, nil)
		return
	}
	u := &uses{place: from.Place, directories: []string{from.Place.Directory}}
	c.parse(command, u)
	c.reads, c.writes = u.located(from.Real)
}

// units returns how many parts an allow rule has to cover, each of them.
func (c *call) units() int {
	if c.tool == "Bash" {
		return len(c.plain)
	}
	return 1
}

// files returns the paths that a rule about reading or about editing is compared with.
func (c *call) files(edits bool) []located {
	switch {
	case c.tool != "Bash":
		return c.paths
	case edits:
		return c.writes
	}
	return c.reads
}
