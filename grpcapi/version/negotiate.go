package version

import (
	"fmt"
	"slices"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// negotiation has all inputs of the decision which features a client gets.
type negotiation struct {
	window   compatibility
	server   string // version of the daemon
	claude   string // version of the agent; empty = not found
	features []messages.Feature
	flags    map[string]bool             // of the settings
	built    func(messages.Feature) bool // whether the daemon serves a feature
	can      *pb.CapabilitySet
}

// maxRequested bounds the requested features in an answer.
const maxRequested = 100

// apiVersionKey is the key of a client's API version in NegotiateRequest.client_capabilities.
const apiVersionKey = "api_version"

// answer negotiates as the diagrams of the API document show.
func (n negotiation) answer(r *pb.NegotiateRequest) *pb.NegotiateResponse {
	out := &pb.NegotiateResponse{Capabilities: n.can}
	client := r.GetClientVersion()
	switch {
	case older(client, n.window.Client.Minimum):
		out.RejectionReason = fmt.Sprintf("Client too old: v%s < required v%s", wire.Clip(client), n.window.Client.Minimum)
		out.UpgradeUrl = n.window.Client.UpgradeURL
		return out
	case n.window.level(n.claude) == pb.CompatibilityLevel_INCOMPATIBLE:
		out.RejectionReason = fmt.Sprintf("Claude Code v%s < required v%s", wire.Clip(n.claude), n.window.ClaudeCode.Minimum)
		out.UpgradeUrl = n.window.ClaudeCode.UpgradeURL
		return out
	}
	out.Accepted = true
	out.Warnings = append(n.aboutClient(r), n.aboutClaude()...)
	requested := slices.Compact(slices.Sorted(slices.Values(r.GetRequestedFeatures())))
	if len(requested) > maxRequested {
		out.Warnings = append(out.Warnings, fmt.Sprintf("only the first %d of %d requested features were answered", maxRequested, len(requested)))
		requested = requested[:maxRequested]
	}
	for _, name := range requested {
		granted, warning := n.grant(name, client)
		if granted {
			out.GrantedFeatures = append(out.GrantedFeatures, name)
		}
		if warning != "" {
			out.Warnings = append(out.Warnings, warning)
		}
	}
	return out
}

// aboutClient returns warnings about clients that were not tested with this daemon.
func (n negotiation) aboutClient(r *pb.NegotiateRequest) []string {
	client := r.GetClientVersion()
	api, sent := r.GetClientCapabilities()[apiVersionKey]
	switch {
	case sent && api != apiVersion:
		return []string{fmt.Sprintf("Untested client version: it uses the API %q, the daemon %s", wire.Clip(api), apiVersion)}
	case release(client) == "":
		return []string{fmt.Sprintf("Untested client version: %q is not a version", wire.Clip(client))}
	case older(n.server, client):
		return []string{fmt.Sprintf("Untested client version: v%s is newer than this daemon, v%s", wire.Clip(client), n.server)}
	case older(client, n.window.Client.Recommended):
		return []string{fmt.Sprintf("Client v%s works; v%s is recommended: %s", wire.Clip(client), n.window.Client.Recommended, n.window.Client.UpgradeURL)}
	}
	return nil
}

// aboutClaude returns warnings about agents that may lack capabilities.
func (n negotiation) aboutClaude() []string {
	w := n.window.ClaudeCode
	switch n.window.level(n.claude) {
	case pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN:
		if n.claude == "" {
			return []string{"Claude Code is not found, or does not report its version; no turn can run without it: " + w.UpgradeURL}
		}
		return []string{fmt.Sprintf("Untested Claude Code version: v%s; v%s was tested", wire.Clip(n.claude), w.Tested)}
	case pb.CompatibilityLevel_DEGRADED:
		return []string{fmt.Sprintf("Claude Code v%s lacks some abilities; v%s has them (%s): %s", wire.Clip(n.claude), w.Complete, w.UpgradeCommand, w.UpgradeURL)}
	case pb.CompatibilityLevel_LIKELY_COMPATIBLE, pb.CompatibilityLevel_FULLY_COMPATIBLE, pb.CompatibilityLevel_INCOMPATIBLE:
	}
	return nil
}

// grant reports whether a client gets a feature, with a warning for its user.
func (n negotiation) grant(name, client string) (granted bool, warning string) {
	i := slices.IndexFunc(n.features, func(f messages.Feature) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
	if i < 0 {
		return false, fmt.Sprintf("%s unknown to this daemon", wire.Clip(name))
	}
	switch f := n.features[i]; {
	case f.Stage == messages.StageRemoved:
		return false, fmt.Sprintf("%s removed; use %s", name, f.Replacement)
	case !n.built(f):
		return false, fmt.Sprintf("%s not built yet", name)
	case !f.On(n.flags):
		return false, fmt.Sprintf("%s disabled: it is %s, enable via settings.json feature_flags.%s", name, f.Stage, f.Name)
	case older(client, f.MinClient):
		return false, fmt.Sprintf("%s needs a client of v%s or newer", name, f.MinClient)
	case f.Stage == messages.StageDeprecated:
		return true, fmt.Sprintf("%s deprecated, goes in v%s; use %s", name, f.Removal, f.Replacement)
	}
	return true, ""
}
