// Command crash tries to break the promises of the daemon by killing it.
//
// A round is a world of its own, made from a seed: the real daemon, scripted fake
// agents, two clients for each session that write down every event they receive
// and say again whatever was not acknowledged. Several times in a round somebody
// is killed by SIGKILL at a random instant: the daemon, an agent, its launcher,
// several of them; or the daemon kills itself at a named place
// ([betcode/messages/failpoint]); or it is restarted in order. The next daemon is
// started and the clients come back behind the last number they have. In the end
// everything comes to rest, and an oracle is asked:
//
//   - Whatever any client saw is replayed with the same number and bytes, and the
//     numbers are dense from 1.
//   - The text in the events is what the agents wrote into their spools, once.
//   - Each message was acknowledged once, and is in its agent's conversation once,
//     as the agent's own transcript has it.
//   - Requests that waited for an answer still wait, unchanged, while the process
//     that asked lives.
//   - A session that was stopped stays stopped.
//   - No process of the world is left over; the journal verifies.
//
// The last line is always
//
//	crash: rounds=200 kills=650 lost=0 duplicated=0 reordered=0 orphans=0
//
// and the exit status is not 0 if anything at all was wrong. Of a round that
// failed the seed, the schedule and the directory are printed; the directory is
// kept, with the logs of the daemons and, in round.txt, what every client saw.
//
//	go run ./tests/crash -rounds 1 -seed N     plays the schedule of N again
//	go run ./tests/crash -walk                 walks the failpoints, hit by hit
//
// A round replays its schedule, not its instants: only a kill at a failpoint
// comes at the same place again.
package main
