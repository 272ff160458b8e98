package trust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Shell commands inside a slash command or a skill: !`command`, and a fenced block
// that begins with "```!".
var (
	inlineShell = regexp.MustCompile("!`([^`\n]+)`")
	fencedShell = regexp.MustCompile("(?ms)^\\s*```!\\s*$(.*?)^\\s*```")
)

// powers lists members of the front matter that give a prompt effects beyond text.
var powers = []string{"allowed-tools", "tools", "hooks", "mcpServers", "permissionMode", "shell", "initialPrompt"}

// fileFindings returns the findings in one file of a folder of ".claude".
func fileFindings(path, folder string, content []byte) []Finding {
	base := filepath.Base(path)
	markdown := strings.EqualFold(filepath.Ext(base), ".md")
	if !markdown || folder == "hooks" || folder == "plugins" || folder == "workflows" {
		return []Finding{{File, path, base}}
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	what := promptName(path, folder)
	var found []Finding
	for _, m := range inlineShell.FindAllStringSubmatch(text, -1) {
		found = append(found, Finding{Shell, path, what + " runs " + m[1]})
	}
	for _, m := range fencedShell.FindAllStringSubmatch(text, -1) {
		found = append(found, Finding{Shell, path, what + " runs " + strings.TrimSpace(m[1])})
	}
	for _, member := range frontMatter(text) {
		found = append(found, Finding{Prompt, path, what + " sets " + member})
	}
	if len(found) == 0 {
		found = []Finding{{Prompt, path, what}}
	}
	return found
}

// promptName returns the name of a file for people: "/name", "skill name", "agent name".
func promptName(path, folder string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	switch folder {
	case "commands":
		return "/" + name
	case "agents":
		return "agent " + name
	}
	if strings.EqualFold(name, "skill") {
		name = filepath.Base(filepath.Dir(path))
	}
	return "skill " + name
}

// frontMatter returns the members of a file's YAML front matter that are powers, as written, with their indented lines.
func frontMatter(text string) []string {
	head, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil
	}
	if head, _, ok = strings.Cut(head, "\n---"); !ok {
		return nil
	}
	var found []string
	in := false
	for _, line := range strings.Split(head, "\n") {
		inner := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "-")
		if inner && in {
			found[len(found)-1] += " " + strings.TrimSpace(line)
			continue
		}
		name, _, _ := strings.Cut(line, ":")
		if in = slices.Contains(powers, strings.Trim(strings.TrimSpace(name), `"'`)); in {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}
