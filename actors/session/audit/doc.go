// Package audit makes the entries of the audit log about a session from its records.
//
// It is pure. The session completes an entry with its id and its parent, and writes it when the fact that it reports is durable.
// Entries have names and decisions; of MCP servers, agents and prompts that a client defines they have the names only, because
// definitions may contain secrets.
package audit
