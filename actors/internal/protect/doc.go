// Package protect lists the files that no rule, grant or permission mode may let an
// agent write without asking. Writing them makes commands run later without a question, or
// changes what is asked about.
//
//	.claude/**  .mcp.json  .git/**          in any directory
//	.bashrc .zshenv .envrc .gitconfig …     in any directory: they run, or name programs that run
//	~/.ssh/**  ~/.claude*  ~/.config/fish … of the user
//	configuration, state and sockets        of the daemon
//
// Names are compared without regard to case, since some file systems have none.
//
// [List.Read] parses a tool call without reading a disk and returns the paths
// that it writes; [Resolve], the only function here that reads one, resolves their
// symbolic links and finds those with more than one name (hard links);
// [List.Judge] puts both together. The answer is a reason, for people; an empty one
// means that the list does not apply, not that the call is
// allowed.
//
// # Shell commands
//
// In a shell command, all visible writes are found: redirections, the
// arguments of all commands except those that only read, the text of bash -c and eval,
// the directory that cd changes to, and settings of git that make it run commands. A
// person is asked about the target of a redirection or of cp, rm and the like that is known
// only when the command runs. Writes of git itself below .git by its own commands are
// not found. A program of which only the name is visible may write anything; rules about
// programs are for that.
package protect
