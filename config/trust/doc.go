// Package trust decides whether the user has reviewed what a directory makes an agent run.
//
// Claude Code runs hooks, starts MCP servers, applies allow rules and runs shell
// commands embedded in slash commands that it finds in files of the working
// directory, of every directory above it, and of the repository behind a ".git"
// file. [Inspect] collects those files the way the CLI looks for them, hashes
// them and lists what they would run. A [Ledger] stores which contents the user
// has accepted; [Ledger.Judge] compares a report with it.
//
// The package reads files and never runs anything, git included. Reads are
// bounded: named pipes, devices, endless directories and files of other users
// become a [Report] problem, and a directory with a problem is not trusted.
package trust
