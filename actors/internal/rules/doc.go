// Package rules decides tool calls by the rules of a user, in the agent's own
// notation: "Bash", "Bash(git *)", "Bash(npm run test:*)",
// "Edit(src/**/*.ts)", "Read(~/x/**)", "WebFetch(domain:example.com)",
// "mcp__github__*". It is the first half of the permission bridge of the daemon
// document; the session implements the other half, decisions of people.
//
// # What is decided, and in which order
//
// [Set.Decide] checks deny rules, then ask rules, then allow rules: the
// first list with a rule for the call decides. If none has one, there is no decision, and
// the session checks its grants and asks a person. A deny or ask rule concerns a
// call if it matches any part of it; an allow rule only if rules of its kind cover
// every part. In doubt the decision is not "allow":
//
//	a shell command that is not plain               no allow rule with an argument covers it
//	a shell command that cannot be read exactly     a deny or ask rule with an argument has a person asked
//	a member that the tool does not have            both
//	a rule for a tool whose arguments are unknown   as allow: nothing; as deny or ask: a person is asked
//
// Only a bare rule ("Bash") covers a call that cannot be understood, because it covers every call.
//
// # Shell commands
//
// For allow rules, a command is read twice, by a lexer of our own and by the parser.
// It is plain if both find the same simple commands, joined by && || ; | and newlines.
// Where shells and the parser disagree, about comments, here-documents, control characters
// and much else, one of the two gives up.
//
// For rules that forbid, the parser's tree is split into simple commands, including
// those of substitutions and functions. A rule is also compared with the commands behind
// sudo, env, xargs and the like, in the text of "bash -c" and "eval", behind a path
// ("/bin/rm") and behind braces ("{rm,-rf,/}"). Text that is known only at run time is
// a hole, which may match anything. A construct that hides commands is a hazard, and
// programs that run other commands are listed by name; a person is asked about both. A
// person is also asked about options with which known programs run others, if there is a
// rule that forbids, or if only the wildcard of an allow rule covers the option. An unknown
// script or program can always run something else.
//
// # Paths
//
// Rules for files match as .gitignore does: "*.ts" at any depth, "src/**" from the
// session's directory, "~/x" from the home directory, "//etc" from the root. A path
// is compared with a rule twice, as it is spelled and with symbolic links
// resolved, by [Resolve], which is the only function here that reads a disk: a
// deny rule matches if either does, an allow rule only if both do. A link that is
// changed between the decision and the use is not noticed. A search covers everything
// below its path, and rules that forbid are also compared with the files that a shell
// command names.
//
// Everything but Resolve is pure. A Set does not change and is safe for concurrent use.
package rules
