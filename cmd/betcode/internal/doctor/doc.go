// Package doctor examines an installation: the daemon, its directories, the agent, the kernel and the service.
//
// [Gather] collects [Facts]; it reads files, asks the daemon and runs 'claude --version'. [Diagnose] is pure: it makes one
// [Finding] per check of them, in a fixed order, with the command that mends it. [Apply] carries out the few mends that
// cannot lose anything: it closes directories of the user to others, and lets services run without a login.
//
// Nothing here starts or ends a daemon or an agent.
package doctor
