// Package version decides which clients, agents and features work with this daemon, and serves VersionService.
//
// The window of versions is data: compatibility.json for clients, and the table of package claudecode
// for the agent. The features and their stages are in package messages; the settings turn them on or
// off. [Service.Gate] refuses the calls of a feature that is off, and [Service.Deprecated] warns a
// session once of a deprecated one.
//
// The negotiation is a pure function of these. Nothing survives a restart: after one, a session may be warned again.
package version
