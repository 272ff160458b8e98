package translate

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of config.proto.

// ScopeIn checks a scope of settings and the directory that it needs.
func ScopeIn(op, scope, directory string) (messages.SettingsScope, string, error) {
	dir, err := DirectoryIn(op, directory)
	if err != nil {
		return "", "", err
	}
	switch s := messages.SettingsScope(scope); s {
	case messages.SettingsInForce, messages.SettingsUser:
		return s, dir, nil
	case messages.SettingsProject, messages.SettingsLocal:
		if dir == "" {
			return "", "", wire.Invalid(op, "Give working_directory, an absolute path.", "the scope %s needs a directory", scope)
		}
		return s, dir, nil
	}
	return "", "", wire.Invalid(op, `Use "user", "project" or "local", or leave it empty for the effective settings.`, "the scope %q is unknown", wire.Clip(scope))
}

// The settings behind the members that clients know.
const (
	nameMaxAgents   = "daemon.max_subprocesses"
	nameSocket      = "daemon.socket_path"
	nameStateDir    = "daemon.state_dir"
	nameListen      = "daemon.listen_tcp"
	nameLogLevel    = "daemon.log_level"
	nameMaxPayload  = "daemon.max_payload_bytes"
	nameModel       = "sessions.default_model"
	nameAutoCompact = "sessions.auto_compact"
	nameThreshold   = "sessions.auto_compact_threshold"
	nameTTL         = "permissions.default_ttl"
	nameExtend      = "permissions.extend_on_activity"
)

// SettingsOut translates the settings: members that clients know, then all of them by name.
func SettingsOut(v messages.SettingsView) *pb.Settings {
	seconds := Uint32Of(int64(durationOf(v.Get(nameTTL)) / time.Second))
	out := &pb.Settings{
		Daemon: &pb.DaemonSettings{
			MaxSubprocesses: Uint32Of(numberOf(v.Get(nameMaxAgents))),
			SocketPath:      v.Get(nameSocket).Text,
			LogLevel:        v.Get(nameLogLevel).Text,
			MaxPayloadBytes: Uint32Of(numberOf(v.Get(nameMaxPayload))),
		},
		Sessions: &pb.SessionSettings{
			DefaultModel:         v.Get(nameModel).Text,
			AutoCompact:          v.Get(nameAutoCompact).Value == true,
			AutoCompactThreshold: Uint32Of(numberOf(v.Get(nameThreshold))),
		},
		Permissions: &pb.PermissionSettings{
			ConnectedTimeoutSecs: seconds, DisconnectedTimeoutSecs: seconds,
			EnableAutoApprove: v.Allows, AutoApproveDirectories: v.Trusted,
			ActivityRefreshEnabled: v.Get(nameExtend).Value == true,
		},
		FeatureFlags: v.Features,
		Revision:     v.Revision,
	}
	if _, port, err := net.SplitHostPort(v.Get(nameListen).Text); err == nil {
		n, _ := strconv.ParseUint(port, 10, 16) // 0 for the name of a service
		out.Daemon.Port = uint32(n)
	}
	if state := v.Get(nameStateDir).Text; state != "" {
		out.Daemon.DatabasePath = filepath.Join(state, "journal")
	}
	for _, s := range v.Values {
		out.Values = append(out.Values, &pb.SettingValue{
			Name: s.Name, Value: s.Text, Source: s.Source, Origin: s.Origin, Line: Uint32Of(int64(s.Line)),
			DefaultValue: s.Default, Wants: s.Wants, Description: s.Help, Live: s.Live, RestartNeeded: s.Restart,
			RunningValue: s.Running,
		})
	}
	for _, w := range v.Warnings {
		out.Warnings = append(out.Warnings, &pb.SettingWarning{
			Path: w.Path, Line: Uint32Of(int64(w.Line)), Column: Uint32Of(int64(w.Column)), Message: wire.Printable(w.Message),
		})
	}
	return out
}

func numberOf(v messages.SettingValue) int64 {
	n, _ := v.Value.(int64)
	return n
}

func durationOf(v messages.SettingValue) time.Duration {
	d, _ := v.Value.(time.Duration)
	return d
}

// ChangesIn returns the changes of a request: members that are not zero, then values, then
// settings to unset. No setting may be named twice.
func ChangesIn(r *pb.UpdateSettingsRequest) ([]messages.SettingChange, error) {
	const op = "update settings"
	wanted := map[string]messages.SettingChange{}
	d, s, p := r.GetSettings().GetDaemon(), r.GetSettings().GetSessions(), r.GetSettings().GetPermissions()
	for _, refused := range []struct {
		is         bool
		what, hint string
	}{
		{d.GetDatabasePath() != "", "database_path", "The journal is in daemon.state_dir, which can be set."},
		{s.GetMaxMessagesPerSession() != 0, "max_messages_per_session", "There is no such limit; retention.session_max_bytes limits the history of a session."},
		{p.GetEnableAutoApprove(), "enable_auto_approve", "Write allow rules into settings.json: permissions.allow."},
		{len(p.GetAutoApproveDirectories()) > 0, "auto_approve_directories", "Trust a directory with 'betcode trust DIRECTORY'."},
	} {
		if refused.is {
			return nil, wire.Invalid(op, refused.hint, "%s cannot be set here", refused.what)
		}
	}
	set := func(is bool, name, value string) {
		if is {
			wanted[name] = messages.SettingChange{Name: name, Value: value}
		}
	}
	number := func(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
	set(d.GetMaxSubprocesses() != 0, nameMaxAgents, number(d.GetMaxSubprocesses()))
	set(d.GetSocketPath() != "", nameSocket, d.GetSocketPath())
	set(d.GetPort() != 0, nameListen, net.JoinHostPort("127.0.0.1", number(d.GetPort())))
	set(d.GetLogLevel() != "", nameLogLevel, d.GetLogLevel())
	set(d.GetMaxPayloadBytes() != 0, nameMaxPayload, number(d.GetMaxPayloadBytes()))
	set(s.GetDefaultModel() != "", nameModel, s.GetDefaultModel())
	set(s.GetAutoCompact(), nameAutoCompact, "true")
	set(s.GetAutoCompactThreshold() != 0, nameThreshold, number(s.GetAutoCompactThreshold()))
	set(p.GetActivityRefreshEnabled(), nameExtend, "true")
	switch with, without := p.GetConnectedTimeoutSecs(), p.GetDisconnectedTimeoutSecs(); {
	case with != 0 && without != 0 && with != without:
		return nil, wire.Invalid(op, "Set one of them, or both to the same.", "the timeouts with and without clients differ")
	default:
		set(with != 0, nameTTL, number(with)+"s")
		set(without != 0, nameTTL, number(without)+"s")
	}
	for flag, on := range r.GetSettings().GetFeatureFlags() {
		set(true, featurePrefix+flag, strconv.FormatBool(on))
	}
	for name, value := range r.GetValues() {
		if _, twice := wanted[name]; twice {
			return nil, wire.Invalid(op, "Set it once.", "%s is set twice", wire.Clip(name))
		}
		set(true, name, value)
	}
	for _, name := range r.GetUnset() {
		if _, twice := wanted[name]; twice {
			return nil, wire.Invalid(op, "Do one of them.", "%s is set and unset", wire.Clip(name))
		}
		wanted[name] = messages.SettingChange{Name: name, Reset: true}
	}
	var changes []messages.SettingChange
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		changes = append(changes, wanted[name])
	}
	return changes, nil
}

// featurePrefix is the prefix of feature flags in names of settings.
const featurePrefix = "feature_flags."

// rulePriorities is the order in which rules are evaluated, greatest first.
var rulePriorities = map[string]uint32{"deny": 300, "ask": 200, "allow": 100}

// ruleOut translates a permission rule. Its id is a hash of its text and its source.
func ruleOut(r messages.RuleEntry) *pb.PermissionRule {
	h := fnv.New64a()
	for _, word := range []string{r.Effect, r.Text, r.Source} {
		_, _ = h.Write(append([]byte(word), 0))
	}
	out := &pb.PermissionRule{
		Id: fmt.Sprintf("%016x", h.Sum64()), ToolPattern: r.Tool, PathPattern: r.Argument, Priority: rulePriorities[r.Effect],
		Source: r.Source, Line: Uint32Of(int64(r.Line)), Rule: r.Text,
	}
	about := "every call of " + r.Tool
	if r.Argument != "" {
		about = "calls of " + r.Tool + " that are about " + r.Argument
	}
	switch r.Effect {
	case "deny":
		out.Action, out.Description = pb.PermissionAction_PERMISSION_ACTION_DENY, "forbids "+about
	case "ask":
		out.Action, out.Description = pb.PermissionAction_PERMISSION_ACTION_ASK, "has a person asked about "+about
	case "allow":
		out.Action, out.Description = pb.PermissionAction_PERMISSION_ACTION_ALLOW, "allows "+about
	}
	if r.Problem != "" {
		out.Description += "; it does not count in full: " + r.Problem
	}
	return out
}

// RulesOut translates the rules of a scope.
func RulesOut(list messages.RuleList) *pb.PermissionRules {
	out := &pb.PermissionRules{}
	for _, rule := range list.Rules {
		out.Rules = append(out.Rules, ruleOut(rule))
		switch {
		case rule.Effect == "deny" && rule.Argument == "":
			out.DeniedTools = append(out.DeniedTools, rule.Tool)
		case rule.Effect == "ask":
			out.RequireApproval = append(out.RequireApproval, rule.Text)
		}
	}
	return out
}
