// Package doctor examines an installation: the daemon, its directories, the agent, the kernel and the service.
//
// [Gather] collects [Facts]; it reads files, asks the daemon and runs 'claude --version'. [Diagnose] is pure: it
// returns one [Finding] for each check, in a fixed order, with the command that repairs it. [Apply] carries out the few
// repairs that cannot lose data: it removes access of other users to directories, and lets services run without a
// login.
//
// The package starts and ends no daemon and no agent.
package doctor
