package rules

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

// Call is one tool call, as the agent asks about it.
type Call struct {
	Tool  string
	Input []byte // JSON
	Place Place  // where the session is
	// Real are the path of the call and the place with symbolic links resolved
	// ([Resolve]). Zero: they are what they are called.
	Real Real
}

// Place is where a call happens: absolute paths.
type Place struct{ Directory, Home string }

// Real is what a call and its place are behind symbolic links.
type Real struct {
	Path  string
	Place Place
}

// call is a call taken apart. What a tool does not have is empty.
type call struct {
	tool   string
	parts  []part // of a shell command
	paths  []located
	host   string
	kind   string // of a subagent, or the name of a skill
	opaque string // why an argument cannot be told; only a bare rule covers it
	unread bool   // not even what is in it could be seen
}

// located is one reading of a path and of the place it belongs to.
type located struct {
	path  string
	place Place
}

// input has the members of tool inputs that rules look at.
type input struct {
	Command      *string `json:"command"`
	FilePath     *string `json:"file_path"`
	NotebookPath *string `json:"notebook_path"`
	Path         *string `json:"path"`
	Pattern      *string `json:"pattern"`
	URL          *string `json:"url"`
	SubagentType *string `json:"subagent_type"`
	Skill        *string `json:"skill"`
}

// path returns the path that a tool is about: of a search without one, the
// session's directory.
func (in input) path(place Place) string {
	for _, p := range []*string{in.FilePath, in.NotebookPath, in.Path} {
		if p != nil && *p != "" {
			return absolute(*p, place)
		}
	}
	return place.Directory
}

// takeApart reads a call. It does not fail: what cannot be read is opaque.
func takeApart(c Call) *call {
	out := &call{tool: c.Tool}
	var in input
	if err := json.Unmarshal(c.Input, &in); err != nil {
		out.opaque, out.unread = "its input is not what the tool takes", true
		return out
	}
	switch {
	case c.Tool == "Bash":
		if in.Command == nil {
			out.opaque, out.unread = "it has no command", true
			break
		}
		out.parts, out.opaque, out.unread = parse(*in.Command)
	case readers[c.Tool] || writers[c.Tool]:
		spelled := in.path(c.Place)
		if c.Tool == "Glob" && in.Pattern != nil && (strings.Contains(*in.Pattern, "..") || filepath.IsAbs(*in.Pattern)) {
			out.opaque = "its pattern leaves the directory"
		}
		out.paths = append(out.paths, located{spelled, c.Place})
		if c.Real.Path != "" {
			out.paths = append(out.paths, located{c.Real.Path, c.Real.Place})
		}
	case c.Tool == "WebFetch":
		if in.URL != nil {
			out.host = hostOf(*in.URL)
		}
	case in.SubagentType != nil:
		out.kind = *in.SubagentType
	case in.Skill != nil:
		out.kind = *in.Skill
	}
	return out
}

// units is how many parts an allow rule has to cover, each of them.
func (c *call) units() int {
	if c.tool == "Bash" {
		return len(c.parts)
	}
	return 1
}

// absolute cleans a path and lets it begin at the root.
func absolute(p string, place Place) string {
	switch {
	case p == "~":
		return path.Clean(place.Home)
	case strings.HasPrefix(p, "~/"):
		return path.Join(place.Home, p[2:])
	case path.IsAbs(p):
		return path.Clean(p)
	}
	return path.Join(place.Directory, p)
}

// InputOf makes the input of a tool call of the one argument that rules look at:
// the command of Bash, the path of a tool for files, the address of WebFetch.
func InputOf(tool, argument string) []byte {
	member := "argument"
	switch {
	case tool == "Bash":
		member = "command"
	case tool == "NotebookEdit" || tool == "NotebookRead":
		member = "notebook_path"
	case tool == "Grep" || tool == "Glob" || tool == "LS":
		member = "path"
	case readers[tool] || writers[tool]:
		member = "file_path"
	case tool == "WebFetch":
		member = "url"
	case tool == "Agent" || tool == "Task":
		member = "subagent_type"
	case tool == "Skill":
		member = "skill"
	}
	raw, err := json.Marshal(map[string]string{member: argument})
	if err != nil {
		panic("encode text: " + err.Error())
	}
	return raw
}
