// Command fakeagent is a stand-in for the claude program: it starts in a few
// milliseconds, does what the prompt says, and misbehaves on request.
//
// It speaks Claude Code's stream-json protocol as measured (2.1.330): silent until spoken to, one JSON object per line, an init
// line per turn, results that come only after the turn is in the transcript, a transcript that lags 100 ms behind, the rules for
// repeated uuids, merged and folded messages, the exit codes. It is for speed and for misbehaviour; evidence about Claude Code
// itself comes from Claude Code (package model drives the real one).
//
// # Prompts
//
// A prompt is one step per line; a line that begins with no known verb belongs
// to the step before it. A prompt that begins with none is answered with
// "You said: <prompt>". Queued messages that were merged into one turn run all
// their steps in that turn; when none of them has a verb, one answer is for all. DUR is a Go duration ("20ms"), SIZE takes KB and MB.
//
//	echo:TEXT              one text answer, word by word
//	until:N                answers "DONE" once N messages with this step were taken into the
//	                       conversation, and "more" before; lines below it are ignored
//	stream:N:SIZE:DUR      N deltas of SIZE bytes, DUR before each
//	flood:N[:SIZE]         N deltas as fast as possible, in big writes
//	think:TEXT             a thinking block, then the text
//	sleep:DUR              says nothing for DUR in the middle of the turn
//	gate:FILE              says nothing until FILE is in its working directory
//	run:COMMAND            Bash; asks, then really runs it in a session of its own
//	tool:NAME:JSON         any tool with that input; asks; Bash really runs
//	tools:N                N Read calls whose requests are pending together
//	ask[:JSON]             AskUserQuestion with three questions, or with that input
//	plan[:TEXT]            ExitPlanMode with that plan
//	subagent               a foreground agent that asks to run a command
//	bg[:DUR]               a background agent; ends later, with a turn of its own
//	bg-ask                 a background agent that asks between turns
//	task-turn              after this turn one more without a user message
//	error:STATUS           the API refused: a successful result with is_error
//	limited:DUR            a limit of the account refuses the request, and ends after DUR
//	retry:N                N api_retry lines, then an answer
//	withdraw               a message withdrawn half-way (abandoned_blocks), then another
//	supersede              a finished text that the next message replaces (supersedes)
//	refuse                 a finished text that a refusal takes back, then another model's
//	/clear /compact /cost  the slash commands
//
// Misbehaviour; all other lines stay correct:
//
//	exit:CODE              exits in the middle of the turn
//	torn-exit              writes half a line and kills itself with SIGKILL
//	garbage                lines that are not JSON
//	noise:FILE             such lines, as fast as they are taken, until FILE is in its
//	                       working directory
//	blank                  empty lines and lines of spaces
//	crlf                   ends its lines with CR LF, for this turn
//	invalid-utf8           a delta with bytes that are not UTF-8
//	biglines:SIZE          an answer of that size in one assistant line
//	no-result              the turn just ends
//	hang                   never says or reads anything again; signals still work
//	deaf                   reads no more, and closes its input as soon as something lies
//	                       in it, but lives on; wants a FIFO that it holds open itself
//	ignore-sigterm         from now on SIGTERM, SIGINT, SIGHUP, EOF and end_session
//	                       do not end the process
//	stderr:SIZE            that much on stderr
//	dup-request-id         the same permission request printed twice
//	unknown-type           unknown types, subtypes, members, blocks and requests
//
// The steps that end the process or hang do so once per session and prompt, so
// that a supervisor that tries again gets on; before any of the following
// prefixes, which may be combined:
//
//	always:STEP            every time
//	early:STEP             before the turn is in the transcript (otherwise after)
//
// # Environment
//
//	HOME                     required; transcripts and ledgers go there
//	FAKE_AGENT_SCRIPT        a JSON file that maps prompts to steps, see script
//	FAKE_AGENT_FLUSH         how far the transcript lags (100ms)
//	FAKE_AGENT_START_DELAY   a slow start
//	FAKE_AGENT_STAYS         1: a version that does not continue a turn by itself
//	FAKE_AGENT_EXIT_AT_START CODE or CODE:N; exits at start, always or N times per HOME
//	FAKE_AGENT_COMPACT       a file that /compact waits for; if it says "fail", that fails
//	FAKE_AGENT_MCP           "name=status …": MCP servers in the init line
//	CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS, CLAUDE_CODE_RESUME_INTERRUPTED_TURN,
//	CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS, CLAUDE_CODE_RESUME_PROMPT,
//	CLAUDE_CODE_RESUME_REASON, IS_SANDBOX: as in the real one
//
// # For oracles
//
// Each user message taken into the conversation is appended, in one write, to
// $HOME/.fake-agent/<session>.accepted as {"uuid","content","how","pid"}, how
// being "turn" or "folded". A process killed within the transcript's lag forgets
// the conversation, and the message is rightly accepted again; so the transcript
// says the same thing, durably: its queue-operation records "dequeue" and
// "remove" carry the member accepted, a list of uuids, in the same write as the
// message itself. Exactly once means: once there.
package main
