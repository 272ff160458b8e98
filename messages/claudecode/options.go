package claudecode

// OptionFrom returns the oldest version in which an option of the command line was found, or "" for
// an option that is not in the table. The option is named without dashes.
func OptionFrom(option string) string { return known.Options[option] }

// LacksOption reports whether a version does not have an option of the table. An unknown version has all of them.
func LacksOption(version, option string) bool { return Older(version, OptionFrom(option)) }
