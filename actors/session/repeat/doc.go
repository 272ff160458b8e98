// Package repeat decides how often a message is sent to an agent again.
//
//	                 the turn that answers it ends with another text
//	                ┌──────────────────────────────────────────────┐
//	                ▼                                              │
//	accepted ──► PROMPTED n ───────────────────────────────────────┘
//	                │ the text is the marker ──► COMPLETE
//	                │ n is the limit ──────────► EXHAUSTED
//	                │ the turn failed ─────────► FAILED
//	                │ a client ended it ───────► CANCELED
//
// A [messages.Repetition] is a value: functions return the next one. They do no I/O and read no clock. The session keeps the
// value in its record, accepts each prompt in the append in which the turn before it ends, and announces what happens.
//
// # Who owns what
//
// The session owns the record and the inputs; this package owns the rule and the keys of prompts. The key of prompt n is computed
// from that of the message, so a prompt has the same key however often it is computed.
//
// # On a crash
//
// The end of a turn and the next prompt are in one append: either both are durable or neither. A prompt is an input like any
// other from then on, and is given to the agent once.
package repeat
