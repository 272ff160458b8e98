// Package protect knows the files that no rule, grant or permission mode may let an
// agent write unasked. Writing them makes commands run later without a question, or
// changes what is asked about.
//
//	.claude/**  .mcp.json  .git/**          in any directory
//	.bashrc .zshenv .envrc .gitconfig …     in any directory: they are run, or say what is run
//	~/.ssh/**  ~/.claude*  ~/.config/fish … of the user
//	configuration, state and sockets        of the daemon
//
// Names are compared without regard to case, since some file systems have none.
//
// [List.Read] takes a tool call apart without looking at a disk and returns the paths
// that it writes; [Resolve], the only function here that looks at one, says what
// they are behind symbolic links and which have more than one name (hard links);
// [List.Judge] puts both together. The answer is a reason, for people; an empty one
// means that the list is not concerned and says nothing about whether the call is
// allowed.
//
// # Shell commands
//
// Of a shell command, whatever it writes in plain sight is found: redirections, the
// arguments of all commands but those that only read, the text of bash -c and eval,
// the directory that cd leads to, and settings of git that make it run commands. A
// target of a redirection or of cp, rm and their like that is known only when the
// command runs is asked about. What git itself writes below .git by its own commands is
// not. A program of which only the name is seen may write anything; that is what
// asking about programs is for.
package protect
