package config

// Source is the kind of origin of a value, in order of precedence.
type Source string

// The sources.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromLocal       Source = "local"   // LocalFile of a directory
	FromProject     Source = "project" // ProjectFile of a directory
	FromUser        Source = "user"    // SettingsFile of the user
	FromTOML        Source = "toml"    // TOMLFile of the user
	FromDefault     Source = "default"
)
