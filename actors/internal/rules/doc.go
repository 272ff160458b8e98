// Package rules decides tool calls by the rules a user has written down, in the
// agent's own notation: "Bash", "Bash(git *)", "Bash(npm run test:*)",
// "Edit(src/**/*.ts)", "Read(~/x/**)", "WebFetch(domain:example.com)",
// "mcp__github__*". It is the first half of the permission bridge of the daemon
// document; the other half, people, is the session's.
//
// # What is decided, and in which order
//
// [Set.Decide] looks at deny rules, then at ask rules, then at allow rules: the
// first list with a rule for the call decides. None of them is no decision, and
// the session looks at its grants and asks a person. A deny or ask rule concerns a
// call if it matches any part of it; an allow rule only if rules of its kind cover
// every part. Whatever cannot be understood leans away from "allow":
//
//	a shell command that is not plain               no allow rule with an argument covers it
//	a shell command that cannot be read exactly     a deny or ask rule with an argument has a person asked
//	a member that the tool does not have            both
//	a rule for a tool whose arguments are unknown   as allow: nothing; as deny or ask: a person is asked
//
// Only a bare rule ("Bash") covers what cannot be understood, since it says so.
//
// # Shell commands
//
// For allow rules, a command is read twice, by a lexer of our own and by the parser.
// It is plain if both find the same simple commands, joined by && || ; | and newlines.
// Shells and the parser disagree about comments, here-documents, control characters
// and much else; there one of the two gives up.
//
// For rules that forbid, the parser's tree is taken apart into simple commands, those
// of substitutions and functions too. A rule is also held against what stands behind
// sudo, env, xargs and their like, in the text of "bash -c" and "eval", behind a path
// ("/bin/rm") and behind braces ("{rm,-rf,/}"). Text that is known only at run time is
// a hole, which may match anything. What hides commands is a hazard, and what runs
// others than those written down is known by name; both have a person asked. Options
// with which known programs run others are asked about beside a rule that forbids, and
// where they come from the wildcard of a rule that allows. A script or a program that
// nobody knows can always run something else.
//
// # Paths
//
// Rules for files match as .gitignore does: "*.ts" at any depth, "src/**" from the
// session's directory, "~/x" from the home directory, "//etc" from the root. A path
// is held against a rule twice, as it is spelled and with symbolic links
// resolved, by [Resolve], which is the only function here that looks at a disk: a
// deny rule matches if either does, an allow rule only if both do. A link that is
// changed between the decision and the use is not noticed. A search covers what is
// below its path, and rules that forbid are also held against the files that a shell
// command names.
//
// Everything but Resolve is pure. A Set does not change and may be used by many.
package rules
