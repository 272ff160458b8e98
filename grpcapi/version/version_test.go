package version

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// TestWindow checks that the versions can be parsed and are in order.
func TestWindow(t *testing.T) {
	c, w := window.ClaudeCode, window.Client
	for _, version := range []string{c.Minimum, c.Complete, c.Tested, w.Minimum, w.Recommended} {
		if release(version) == "" {
			t.Errorf("%q is no version", version)
		}
	}
	if older(c.Complete, c.Minimum) || older(c.Tested, c.Complete) || older(w.Recommended, w.Minimum) || c.UpgradeURL == "" || w.UpgradeURL == "" {
		t.Errorf("%+v", window)
	}
}

func TestLevels(t *testing.T) {
	w := compatibility{}
	w.ClaudeCode.Minimum, w.ClaudeCode.Complete, w.ClaudeCode.Tested = "1.0.20", "1.1.0", "1.2.5"
	for version, want := range map[string]pb.CompatibilityLevel{
		"": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN, "newest": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN,
		"0.9.0": pb.CompatibilityLevel_INCOMPATIBLE, "v1.0.19": pb.CompatibilityLevel_INCOMPATIBLE,
		"1.0.20": pb.CompatibilityLevel_DEGRADED, "1.0.21-beta.1": pb.CompatibilityLevel_DEGRADED,
		"1.1.0-dev+abc": pb.CompatibilityLevel_FULLY_COMPATIBLE, "1.2.5": pb.CompatibilityLevel_FULLY_COMPATIBLE,
		"1.2.6": pb.CompatibilityLevel_LIKELY_COMPATIBLE, "1.30.0": pb.CompatibilityLevel_LIKELY_COMPATIBLE,
		"2.0.0": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN,
	} {
		if got := w.level(version); got != want {
			t.Errorf("%q is %s, want %s", version, got, want)
		}
	}
}

// exampleNegotiation has a feature of every kind.
func exampleNegotiation() negotiation {
	n := negotiation{
		server: "0.2.0", claude: "1.2.0", can: &pb.CapabilitySet{MaxMessageSize: 7},
		flags: map[string]bool{"wanted": true, "unwanted": false},
		built: func(f messages.Feature) bool { return f.Name != "unbuilt" },
		features: []messages.Feature{
			{Name: "stable", Stage: messages.StageStable, Aliases: []string{"steady"}},
			{Name: "unwanted", Stage: messages.StageStable},
			{Name: "alpha", Stage: messages.StageAlpha},
			{Name: "wanted", Stage: messages.StageBeta},
			{Name: "unbuilt", Stage: messages.StageStable},
			{Name: "newer", Stage: messages.StageStable, MinClient: "0.3.0"},
			{Name: "old", Stage: messages.StageDeprecated, Removal: "0.4.0", Replacement: "new"},
			{Name: "gone", Stage: messages.StageRemoved, Replacement: "new"},
		},
	}
	n.window.ClaudeCode.Minimum, n.window.ClaudeCode.Complete, n.window.ClaudeCode.Tested = "1.0.20", "1.1.0", "1.2.5"
	n.window.ClaudeCode.UpgradeURL, n.window.Client.UpgradeURL = "of claude", "of client"
	n.window.Client.Minimum, n.window.Client.Recommended = "0.1.5", "0.1.8"
	return n
}

func TestNegotiate(t *testing.T) {
	for name, test := range map[string]struct {
		client, claude string
		requested      []string
		can            map[string]string
		rejected, url  string
		granted        []string
		warns          []string
	}{
		"compatible":            {client: "0.2.0", requested: []string{"stable", "wanted", "steady", "stable"}, granted: []string{"stable", "steady", "wanted"}},
		"a build between":       {client: "0.2.0-dev+abc"},
		"too old":               {client: "0.1.0", rejected: "Client too old: v0.1.0 < required v0.1.5", url: "of client", requested: []string{"stable"}},
		"older than advised":    {client: "0.1.7", warns: []string{"v0.1.8 is recommended: of client"}},
		"newer than the daemon": {client: "0.3.0", warns: []string{"Untested client version: v0.3.0 is newer than this daemon, v0.2.0"}},
		"no version":            {client: "nightly", warns: []string{`Untested client version: "nightly" is not a version`}},
		"another API":           {client: "0.2.0", can: map[string]string{"api_version": "v2"}, warns: []string{`Untested client version: it uses the API "v2", the daemon v1`}},
		"this API":              {client: "0.2.0", can: map[string]string{"api_version": "v1"}},
		"an old agent":          {client: "0.2.0", claude: "0.9.0", rejected: "Claude Code v0.9.0 < required v1.0.20", url: "of claude"},
		"an agent with gaps":    {client: "0.2.0", claude: "1.0.21", warns: []string{"lacks some abilities"}},
		"a new agent":           {client: "0.2.0", claude: "2.0.0", warns: []string{"Untested Claude Code version: v2.0.0; v1.2.5 was tested"}},
		"no agent":              {client: "0.2.0", claude: "-", warns: []string{"Claude Code is not found"}},
		"switched off":          {client: "0.2.0", requested: []string{"alpha", "unwanted"}, warns: []string{"alpha disabled: it is alpha, enable via settings.json feature_flags.alpha", "unwanted disabled"}},
		"for newer clients":     {client: "0.2.0", requested: []string{"newer"}, warns: []string{"newer needs a client of v0.3.0"}},
		"never heard of":        {client: "0.2.0", requested: []string{"tea"}, warns: []string{"tea unknown to this daemon"}},
		"not there yet":         {client: "0.2.0", requested: []string{"unbuilt"}, warns: []string{"unbuilt not built yet"}},
		"not there any more":    {client: "0.2.0", requested: []string{"gone"}, warns: []string{"gone removed; use new"}},
		"on its way out":        {client: "0.2.0", requested: []string{"old"}, granted: []string{"old"}, warns: []string{"old deprecated, goes in v0.4.0; use new"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := exampleNegotiation()
			switch test.claude {
			case "":
			case "-":
				n.claude = ""
			default:
				n.claude = test.claude
			}
			got := n.answer(&pb.NegotiateRequest{ClientVersion: test.client, RequestedFeatures: test.requested, ClientCapabilities: test.can})
			if got.GetAccepted() != (test.rejected == "") || got.GetRejectionReason() != test.rejected || got.GetUpgradeUrl() != test.url ||
				!slices.Equal(got.GetGrantedFeatures(), test.granted) || got.GetCapabilities().GetMaxMessageSize() != 7 || len(got.GetWarnings()) != len(test.warns) {
				t.Errorf("%v", got)
			}
			for i, words := range test.warns {
				if i < len(got.GetWarnings()) && !strings.Contains(got.GetWarnings()[i], words) {
					t.Errorf("%q is not in %q", words, got.GetWarnings()[i])
				}
			}
		})
	}
}

// For any request, no feature is granted that is off or was not requested, and a refusal has a warning.
func TestNegotiateGrantsOnlyWhatIsOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := exampleNegotiation()
		for i := range n.features {
			n.features[i].Stage = messages.Stage(rapid.IntRange(1, 5).Draw(t, "stage"))
		}
		n.claude = rapid.SampledFrom([]string{"", "1.0.0", "1.0.20", "1.2.5", "9.9.9", "x"}).Draw(t, "claude")
		r := &pb.NegotiateRequest{
			ClientVersion:     rapid.SampledFrom([]string{"", "0.1.4", "0.1.5", "0.2.0", "0.9.0", "x"}).Draw(t, "client"),
			RequestedFeatures: rapid.SliceOf(rapid.SampledFrom([]string{"stable", "steady", "unwanted", "alpha", "unbuilt", "newer", "old", "gone", "tea", ""})).Draw(t, "requested"),
		}
		got := n.answer(r)
		if !got.GetAccepted() && (got.GetRejectionReason() == "" || got.GetUpgradeUrl() == "" || len(got.GetGrantedFeatures()) > 0) {
			t.Fatalf("%v", got)
		}
		for _, name := range got.GetGrantedFeatures() {
			i := slices.IndexFunc(n.features, func(f messages.Feature) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
			if i < 0 || !n.features[i].On(n.flags) || !n.built(n.features[i]) || !slices.Contains(r.GetRequestedFeatures(), name) {
				t.Fatalf("granted %s: %v", name, got)
			}
		}
		for _, wish := range r.GetRequestedFeatures() {
			told := slices.ContainsFunc(got.GetWarnings(), func(w string) bool { return strings.HasPrefix(w, wish+" ") })
			if got.GetAccepted() && !slices.Contains(got.GetGrantedFeatures(), wish) && !told {
				t.Fatalf("%q was refused in silence: %v", wish, got)
			}
		}
	})
}

// TestCompatibilityPage checks docs/compatibility.md against the tables.
func TestCompatibilityPage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, f := range messages.Features() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name, f.Stage, f.Since, f.Description)
		if !strings.Contains(page, row) {
			t.Errorf("there is no row %s", row)
		}
	}
	for _, version := range []string{window.ClaudeCode.Minimum, window.ClaudeCode.Complete, window.ClaudeCode.Tested, window.Client.Minimum} {
		if !strings.Contains(page, "`"+version+"`") {
			t.Errorf("%s is not on the page", version)
		}
	}
	for _, f := range messages.Features() {
		if _, anchor, ok := strings.Cut(f.Migration, "#"); ok && !strings.Contains(page, "# `"+anchor+"`") && !strings.Contains(page, "# "+anchor) {
			t.Errorf("nothing is at %s", f.Migration)
		}
	}
}

func TestSeverity(t *testing.T) {
	for _, test := range []struct {
		server, removal string
		want            pb.Severity
	}{
		{"0.1.0", "0.2.0", pb.Severity_URGENT},
		{"0.1.0", "0.3.0", pb.Severity_WARNING},
		{"0.1.0-dev+x", "1.0.0", pb.Severity_WARNING},
		{"1.4.0", "1.4.0", pb.Severity_URGENT},
		{"2.0.0", "1.0.0", pb.Severity_URGENT},
		{"1.0.0", "3.0.0", pb.Severity_INFO},
		{"dev", "1.0.0", pb.Severity_INFO},
		{"1.0.0", "", pb.Severity_INFO},
	} {
		if got := severity(test.server, test.removal); got != test.want {
			t.Errorf("%s to %s is %s, want %s", test.server, test.removal, got, test.want)
		}
	}
}
