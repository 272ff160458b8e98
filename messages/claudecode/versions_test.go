package claudecode

import (
	"slices"
	"strings"
	"testing"
)

// TestTableIsInOrder checks versions.json: versions are valid and sorted, each row has a field, and
// each field has a row.
func TestTableIsInOrder(t *testing.T) {
	if !slices.IsSortedFunc(known.Supported, func(a, b string) int {
		if Older(a, b) {
			return -1
		}
		return 1
	}) {
		t.Errorf("supported versions are not in order: %v", known.Supported)
	}
	for _, version := range append(Supported(), known.Complete) {
		if Release(version) == "" {
			t.Errorf("%q is no version", version)
		}
	}
	if known.UpgradeCommand == "" || known.UpgradeURL == "" {
		t.Error("nothing says how to upgrade")
	}
	for name, row := range known.Capabilities {
		if fields[name] == nil || Release(row.From) == "" || row.Without == "" {
			t.Errorf("row %q is incomplete: %+v", name, row)
		}
	}
	for name := range fields {
		if _, found := known.Capabilities[name]; !found {
			t.Errorf("no row for %q", name)
		}
	}
}

func TestCapabilitiesOfVersions(t *testing.T) {
	for _, test := range []struct {
		version string
		says    []string
		name    string
		want    bool
	}{
		{"2.1.205", nil, "command_lifecycle", false},
		{"2.1.206", nil, "command_lifecycle", true},
		{"2.1.205", []string{"msg_lifecycle_v1"}, "command_lifecycle", true}, // the init line overrides the version
		{"2.1.206", nil, "bare_allow", false},
		{"2.1.207", nil, "bare_allow", true},
		{"2.1.220", nil, "result_inputs", false},
		{"2.0.77", nil, "end_session", false},
		{"2.0.77", nil, "questions", true},
		{"2.1.20", nil, "live_rules", false}, // this version never answers
		{"2.1.119", nil, "live_rules", true},
		{"9.9.9", nil, "result_inputs", true},
		{"", nil, "bare_allow", true}, // as the newest
		{"nightly", nil, "command_lifecycle", true},
	} {
		c := Of(test.version, test.says...)
		if got := *fields[test.name](&c); got != test.want {
			t.Errorf("%s of %q (%v) = %t, want %t", test.name, test.version, test.says, got, test.want)
		}
	}
}

func TestLevels(t *testing.T) {
	for version, want := range map[string]Grade{
		"": Unknown, "newest": Unknown, "3.0.0": Unknown,
		"1.0.60": Incompatible, "2.0.76": Incompatible,
		"2.0.77": Degraded, "2.1.205": Degraded,
		"2.1.206": Full, "v2.1.265": Full, "2.1.207-beta.1": Full,
		"2.9.0": Likely,
	} {
		if got := Level(version); got != want {
			t.Errorf("level of %q = %d, want %d", version, got, want)
		}
	}
	if got := Level(Newest()); got != Full {
		t.Errorf("level of the newest = %d", got)
	}
}

// TestAdviceNamesTheUpgrade checks that only users of old versions get the command for an upgrade.
func TestAdviceNamesTheUpgrade(t *testing.T) {
	for _, version := range []string{"1.0.60", "2.0.77", "2.1.119"} {
		if got := Advice(version); !strings.Contains(got, version) || !strings.Contains(got, UpgradeCommand()) {
			t.Errorf("advice about %s = %q", version, got)
		}
	}
	for _, version := range []string{"", Newest(), "2.9.0"} {
		if got := Advice(version); got != "" {
			t.Errorf("advice about %q = %q, want none", version, got)
		}
	}
}
