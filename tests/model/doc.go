// Package model is a scripted Messages API server on loopback. The real Claude Code calls it
// through ANTHROPIC_BASE_URL, so tests and the demo need no key and no network, and are
// deterministic.
//
// # Scripts
//
// A script is a JSON file with a list of rules; the first rule that matches a request answers it.
// Ready scripts are in scripts/, and [Ready] returns one by name; [Parse] reads others.
//
//	{
//	  "about": "what this script is for",
//	  "include": ["text", "tool"],
//	  "rules": [
//	    {
//	      "name":  "shown in Request.Rule; the number of the rule otherwise",
//	      "when":  { … },
//	      "times": 2,
//	      "reply": [ … ]
//	    }
//	  ]
//	}
//
// The rules of included ready scripts come before its own. The script "default"
// includes them all: the first word of the prompt decides what happens.
//
// Conditions in "when"; an absent one always holds, except that after defaults to 0:
//
//	prompt    regular expression for the latest text of the user
//	after     how many replies that text already has: 0 is the first answer, 1 the
//	          one after a tool has run; -1 is any
//	tool      name of the tool whose result came last
//	result    regular expression for the text of that result
//	subagent  whether a subagent speaks (true) or the main agent (false)
//	model     regular expression for the model's name
//
// Conditions use only the messages of the request and no earlier state, so an agent that is killed
// and resumed continues where its own transcript ends. The exception is "times": a rule that has
// answered that often within a session is skipped. That is for faults, which leave no trace in a
// conversation.
//
// A "reply" is a list of steps, one key each plus options:
//
//	{"text": "…"}              a text block, sent word by word
//	{"words": 300}             a text block "word0 word1 …"
//	{"thinking": "…"}          a thinking block
//	{"tool": "Bash", "input": {…}}
//	                           a tool_use block
//	{"hold": "gate"}           wait for Server.Release("gate")
//	{"wait": "2s"}             wait
//	{"error": 529}             refuse; options type, message, retry_after; must be first
//	{"stream_error": "overloaded_error"}
//	                           an error event in the middle of the stream
//	{"cut": true}              close the connection in the middle
//	{"stop_reason": "max_tokens"}
//	                           instead of end_turn, or tool_use after a tool
//	{"usage": {…}}             token counts, merged into input 11 and output 7
//
// Options of text, words, thinking and tool: "delay" before each delta ("20ms"), "chunk", the bytes
// of a delta instead of words, "repeat", the number of repetitions of the text, "unfinished", the
// block is not closed, for a fault in its middle. Waiting ends when the client disconnects.
//
// Strings in replies may hold ${prompt}, ${result}, ${1} (what the first group of
// the prompt's expression matched), ${cwd} and ${plan_file}, the path that plan
// mode tells the model to write to.
//
// A request that matches no rule gets a harmless text about that, and Request.Rule is empty.
// Summaries, titles and other requests of Claude Code itself are answered without a rule.
package model
