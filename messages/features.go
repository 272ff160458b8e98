package messages

import "slices"

// Stage is how far a feature has come, numbered as FeatureStage of the API.
type Stage uint8

// The stages. Alpha and beta features are off by default. Deprecated features still work.
const (
	StageAlpha      Stage = 1
	StageBeta       Stage = 2
	StageStable     Stage = 3
	StageDeprecated Stage = 4
	StageRemoved    Stage = 5
)

// Default reports whether a feature of the stage is on unless a setting says otherwise.
func (s Stage) Default() bool { return s == StageStable || s == StageDeprecated }

var stageNames = [...]string{"unknown", "alpha", "beta", "stable", "deprecated", "removed"}

// String is the stage for people.
func (s Stage) String() string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return stageNames[0]
}

// Feature is one feature flag of the API document.
type Feature struct {
	Name        string
	Description string
	Stage       Stage
	Since       string   // first version of the daemon with it
	MinClient   string   // oldest client that can use it; empty = any
	Deprecated  string   // version that deprecated it
	Removal     string   // version that will remove it
	Replacement string   // what to use instead
	Migration   string   // page that describes the migration
	Aliases     []string // other names by which clients ask for it
	Fixed       bool     // it cannot be switched off
	Calls       []string // calls that need it; a name that ends in a slash is a whole service
}

// Features returns the table of feature flags. A removed feature stays in it, with [StageRemoved].
func Features() []Feature { return slices.Clone(features) }

var features = []Feature{
	{
		Name: "streaming_deltas", Stage: StageStable, Since: "0.1.0", Fixed: true,
		Description: "Text is streamed as it is written",
	},
	{
		Name: "permission_bridge", Stage: StageStable, Since: "0.1.0", Fixed: true,
		Description: "Permission requests are forwarded to clients",
	},
	{
		Name: "session_persistence", Stage: StageStable, Since: "0.1.0", Fixed: true,
		Description: "The conversation is stored in the journal",
	},
	{
		Name: "worktree_management", Stage: StageBeta, Since: "0.2.0", Aliases: []string{"worktrees"},
		Description: "Git worktrees are made, switched and removed", Calls: []string{"/betcode.v1.WorktreeService/", "/betcode.v1.GitRepoService/"},
	},
	{
		Name: "subagent_orchestration", Stage: StageAlpha, Since: "0.2.0", Aliases: []string{"subagents"},
		Description: "Several agents work on the steps of a plan", Calls: []string{"/betcode.v1.SubagentService/"},
	},
	{
		Name: "context_compaction", Stage: StageStable, Since: "0.1.0",
		Description: "The context of a session is compacted", Calls: []string{"/betcode.v1.AgentService/CompactSession"},
	},
	{
		Name: LegacyPermissionFormat, Stage: StageDeprecated, Since: "0.1.0", Deprecated: "0.1.0", Removal: "1.0.0",
		Description: "Permission answers that carry an edited input in field 3",
		Replacement: "PermissionResponse.updated_input (field 100)",
		Migration:   "docs/compatibility.md#legacy_permission_format",
	},
}

// LegacyPermissionFormat is the flag for permission answers of older clients, which have
// an edited input in the field where the API has an idempotency key.
const LegacyPermissionFormat = "legacy_permission_format"

// FeatureNamed returns the feature with a name or an alias, and whether there is one.
func FeatureNamed(name string) (Feature, bool) {
	for _, f := range features {
		if f.Name == name || slices.Contains(f.Aliases, name) {
			return f, true
		}
	}
	return Feature{}, false
}

// On reports whether the feature is on. settings are the values of the flags that the settings set.
func (f Feature) On(settings map[string]bool) bool {
	switch on, ok := settings[f.Name]; {
	case f.Fixed:
		return true
	case f.Stage == StageRemoved:
		return false
	case ok:
		return on
	}
	return f.Stage.Default()
}
