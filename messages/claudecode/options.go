package claudecode

// OptionFrom returns the oldest version measured with an option of the command line,
// named without its dashes. It is empty for an option that is not in the table.
func OptionFrom(option string) string { return known.Options[option] }

// LacksOption reports whether a version does not know an option that is in the table. A
// version that is not known is taken to know all of them.
func LacksOption(version, option string) bool { return Older(version, OptionFrom(option)) }
