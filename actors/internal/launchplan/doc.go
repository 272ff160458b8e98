// Package launchplan plans starts of agents, and refuses starts that cannot succeed.
//
// # Who owns what
//
// The system owns one [Planner]. It knows the agent's program, the environment that agents inherit, the user's directories and
// the settings; it keeps no state of its own. Workers of runs call it immediately before each start. The run starts the process
// and owns its run directory; a Planner writes two files there, the guard and the MCP servers, in the formats of package run.
//
// # What is promised
//
// Every plan is made at present: the program is looked up, trust is judged and secrets are taken from the environment at each
// start, and none of these is stored. An agent that is to be fenced and cannot be is not started. An agent whose directory
// cannot be judged gets the strict guard.
//
// # On a crash
//
// Plans are not stored; the next start makes another. The guard of a run is written before its process exists, so the daemon
// that adopts the process reads it.
package launchplan
