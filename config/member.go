package config

import "strings"

// object reads the settings of an object.
func (f *File) object(name string, n node) {
	for _, m := range n.members() {
		if strings.Contains(m.name, ".") {
			f.warn(m.node, "unknown setting %q", m.name) // a section must be an object
			continue
		}
		f.member(dotted(name, m.name), m)
	}
}

func dotted(above, name string) string {
	if above == "" {
		return name
	}
	return above + "." + name
}

func (f *File) member(name string, m member) {
	if s := find(name); s != nil {
		f.set(s, m.node)
		return
	}
	switch name {
	case "permissions.allow":
		f.Permissions.Allow = f.rules(name, m.node)
	case "permissions.ask":
		f.Permissions.Ask = f.rules(name, m.node)
	case "permissions.deny":
		f.Permissions.Deny = f.rules(name, m.node)
	case "feature_flags":
		f.features(m.node)
	default:
		_, isObject := m.value.([]member)
		section, _, _ := strings.Cut(name, ".")
		switch {
		case isSection(name) && isObject: // the agent may have settings in the same section
			f.object(name, m.node)
		case agentsOwn[name], agentsOwn[section]:
		case isSection(name):
			f.wrong(m.node, "%q must be an object", name)
		default:
			f.warn(m.node, "unknown setting %s", name)
		}
	}
}

func (f *File) set(s *Setting, n node) {
	if f.ofDirectory() && !s.Directory {
		f.warn(n, "%s can be set in your own settings only, not in a directory's", s.Name)
		return
	}
	v, err := s.fromFile(n)
	if err != nil {
		f.wrong(n, "%w", err)
		return
	}
	f.values[s.Name] = entry{v, f.origin(n)}
}

func (f *File) features(n node) {
	if _, ok := n.value.([]member); !ok {
		f.wrong(n, "feature_flags must be an object")
	}
	for _, m := range n.members() {
		on, ok := m.value.(bool)
		if !ok {
			f.wrong(m.node, "feature_flags.%s must be true or false", m.name)
			continue
		}
		f.Features[m.name] = Feature{on, f.origin(m.node)}
	}
}

func (f *File) rules(name string, n node) []string {
	list, ok := n.value.([]node)
	if !ok {
		f.wrong(n, "%s must be a list of rules", name)
	}
	var rules []string
	for _, item := range list {
		rule, ok := item.value.(string)
		switch {
		case !ok:
			f.wrong(item, `a rule in %s must be text, for example "Bash(git *)"`, name)
		case strings.TrimSpace(rule) == "":
			f.wrong(item, "a rule in %s is empty", name)
		case strings.HasPrefix(rule, "-"):
			f.wrong(item, "a rule in %s begins with a dash", name)
		default:
			rules = append(rules, rule)
			if f.lines == nil {
				f.lines = map[string]int{}
			}
			f.lines[strings.TrimPrefix(name, "permissions.")+" "+rule] = item.line
		}
	}
	return rules
}

// isSection reports whether a name is a section of settings, such as "disk".
func isSection(name string) bool {
	if name == "permissions" {
		return true
	}
	for i := range table {
		if strings.HasPrefix(table[i].Name, name+".") {
			return true
		}
	}
	return false
}

// agentsOwn are members of settings.json that only the agent uses. They cause no warnings, since
// settings are often copied.
var agentsOwn = func() map[string]bool {
	own := map[string]bool{}
	for name := range strings.FieldsSeq(`$schema alwaysThinkingEnabled apiKeyHelper attribution autoMemoryEnabled
		autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport cleanupPeriodDays companyAnnouncements
		disableAllHooks disabledMcpjsonServers effortLevel enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins env
		extraKnownMarketplaces fastMode fileSuggestion forceLoginMethod forceLoginOrgUUID hooks includeCoAuthoredBy
		includeGitInstructions language otelHeadersHelper outputStyle plansDirectory prefersReducedMotion respectGitignore sandbox
		showTurnDuration skipDangerousModePermissionPrompt spinnerTipsEnabled spinnerTipsOverride spinnerVerbs statusLine
		teammateMode terminalProgressBarEnabled worktree
		permissions.additionalDirectories permissions.defaultMode permissions.disableBypassPermissionsMode`) {
		own[name] = true
	}
	return own
}()
