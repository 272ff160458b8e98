// Package foreignproxy is a proxy as other people run them: it connects to /ws/session of a portal and forwards the output of an
// agent. It behaves like the real ones of each generation, faults included, and was written from their observed behaviour, not
// from this project's gateway. So it finds frames that they would reject.
//
// # Behaviour of the real ones
//
//   - It throws away everything before the RegisterAck. Without one, G1 and G2 go on after 10 seconds,
//     and G3 connects again.
//   - A refusal ends G3, unless it is retryable. G1 and G2 try without end.
//   - G2 and G3 cannot read an unknown type, a missing field or a binary frame: the connection ends.
//     G1 ignores them.
//   - Lines are numbered from 0 and kept until they are acknowledged, at most 1 000; the oldest are
//     dropped. An acknowledgement of no more than the last one, 0 at first, has no effect.
//   - A prompt that comes twice runs twice. G1 and G2 acknowledge it before the agent has it.
//   - Only the newest permission request can be answered. Another answer ends G1, and G2 and G3
//     ignore it. Requests are sent once. An answer without an input runs the tool with {}.
//   - A line of a type that G1 does not know ends its session. G2 wraps it into a note.
//   - G1 answers every heartbeat. G2 and G3 send one each second, and connect again after 15 without
//     an answer.
//   - It connects again after 1, 2, 4 … 30 seconds, and after the delay of a ServerShutdown.
//
// [Options.Second] shortens all of these times.
//
// # Use
//
// [New] makes a proxy and [Proxy.Run] runs it. An [Agent] is given prompts and answers, and uses [Proxy.Say] and [Proxy.Ask]:
// [Echo] repeats prompts, and [Program] runs Claude Code or a program that speaks its protocol. A test may also call Say and Ask
// itself. [Proxy.Until] waits for a condition on [Seen]. [Proxy.State] is the content of the file of the real ones: a killed
// proxy loses later changes.
package foreignproxy
