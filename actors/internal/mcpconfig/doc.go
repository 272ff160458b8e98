// Package mcpconfig reads the files in which users and repositories configure MCP servers: <home>/.claude.json and .mcp.json.
//
// # Who owns what
//
// The files belong to the user, the agent and the repository; this package writes none. It has no state and runs on the
// caller's goroutine.
//
// # What is promised
//
// Reading never blocks and reads a bounded amount: a repository may have a named pipe or an endless file under these
// names. A file that cannot be read configures no server.
//
// # On a crash
//
// Nothing is lost: the files are read again each time.
package mcpconfig
