// Command crash tries to break the promises of the daemon by killing it.
//
// A round is a world of its own, made from a seed: the real daemon, scripted fake agents, and two clients for each
// session, which record every event and repeat each unacknowledged message. Several times in a round
//
//   - SIGKILL at a random instant kills the daemon, an agent, its launcher, a gateway, or several of them,
//   - the daemon kills itself at a named place ([betcode/messages/failpoint]), or an actor panics there,
//   - the daemon is shut down, with its agents or without,
//   - or `daemon restart` replaces it, and the next one is killed too.
//
// Then the next daemon starts, and the clients attach again after their last number. The seed decides what else happens:
//
//   - In half of the rounds every daemon does rare work all the time, such as sealing its file every few commits.
//   - In a quarter of them agents are frozen as soon as they are a few lines ahead.
//   - A round of a migration first rewrites the journal to an older format.
//   - In a third worktrees are created, used and removed all the time; in a quarter the fleet is stopped and resumed.
//   - In a third orchestrations run. In a third a client of the agent socket watches a session through gateways that
//     are killed. One round in six is about gateways: see below.
//   - In some the file of the daemon's socket is deleted, and all clients reconnect through a new one.
//   - In some a bit is flipped in up to four groups of the journal's logs while no daemon runs. The daemon corrects and
//     reports each.
//   - A quarter ends with damage that cannot be corrected: several bits of several groups. The daemon must start, report
//     the lost groups, show their sessions as damaged, and keep everything else.
//
// In the end all sessions become quiescent, and an oracle checks:
//
//   - Every event that a client received is replayed with the same number and bytes, and the
//     numbers are dense from 1.
//   - The text in the events is what the agents wrote into their spools, once.
//   - Each message was acknowledged once, and is in its agent's conversation once,
//     as the agent's own transcript has it.
//   - Requests that waited for an answer still wait, unchanged, while the process
//     that asked lives.
//   - A session that was stopped stays stopped, also after kills before and during
//     the stop.
//   - No run was started twice, ended twice or began before the end of the one
//     before it; no request was decided twice.
//   - A worktree is whole or gone, for the daemon, git and the disk; no lock of git is left; a
//     worktree with a file in it that git does not have is never removed.
//   - A stop of the fleet holds until it is resumed, also in later daemons.
//   - Each step of an orchestration is started once, its prompt is in its conversation once, and it
//     completes.
//   - A client of the agent socket that attaches behind its last cursor has each line of the history
//     once, in order.
//   - No process of the world is left over; the journal verifies.
//
// The last line is always
//
//	crash: rounds=200 kills=650 lost=0 duplicated=0 reordered=0 orphans=0 started_twice=0
//
// and the exit status is not 0 if any check failed. For a failed round it prints the
// schedule, the times of each action, the directory and the command that repeats it.
// The directory is kept, with the logs of the daemons and, in round.txt, what each
// client received.
//
//	go run ./tests/crash -rounds 1 -seed N     plays the schedule of N again
//	go run ./tests/crash -gateways             plays only rounds with gateways
//	go run ./tests/crash -walk                 walks the failpoints, hit by hit
//	go run ./tests/crash -race                 builds the daemons with the race detector
//	go run ./tests/crash -real                 employs Claude Code itself
//
// # Rounds with gateways
//
// The portal, the gateway of the agent socket and 'betcode proxy' run beside the daemon, and are killed at random
// instants, alone, two at once, or all together with the daemon; each is started again at once. Meanwhile
//
//   - foreign proxies ([betcode/tests/foreignproxy]) of all three generations send numbered lines to the portal, get
//     prompts and ask for permission; they are killed too, and begin again with their files;
//   - pages of random generations show these sessions and sessions of ours, from the beginning or behind their last
//     line; some type and answer;
//   - a client of the agent socket has a session, types and answers;
//   - a foreign portal ([betcode/tests/foreignportal]) prompts a session of ours and answers its requests.
//
// Prompts and texts of agents have marks, by which the oracle compares:
//
//   - The output of an agent is in the journal once, in order, and each connection of each page and the foreign portal
//     got the same. A line that was not yet in the file of a killed proxy may be missing.
//   - A prompt that was confirmed is in its session once, and has reached its agent once. One that a page of G1 or G2
//     or a client of the agent socket sent, and whose gateway died, may be missing: they cannot ask.
//   - A request is decided once. Its agent gets the decision once, or people get a notice that it may not have arrived.
//   - Every peer can decode its frames; no gateway ends by itself; each shuts down with exit code 0.
//
// No verdict depends on time: every wait is for a condition, with a deadline of minutes.
//
// A round replays its schedule, not its instants: only a kill at a failpoint
// comes at the same place again.
package main
