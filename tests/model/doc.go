// Package model is a scripted Messages API server on loopback. The real Claude
// Code talks to it through ANTHROPIC_BASE_URL, so tests and the demo need no
// key, no network and no luck.
//
// # Scripts
//
// A script is a JSON file with a list of rules; the first rule that matches a
// request answers it. The ready ones are in scripts/ and are had by name with
// [Ready]; [Parse] reads others.
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
// What a rule may ask for in "when"; what is absent is not asked for, except
// that after is 0:
//
//	prompt    regular expression for the latest text of the user
//	after     how many replies that text already has: 0 is the first answer, 1 the
//	          one after a tool has run; -1 is any
//	tool      name of the tool whose result came last
//	result    regular expression for the text of that result
//	subagent  whether a subagent speaks (true) or the main agent (false)
//	model     regular expression for the model's name
//
// All of it is read out of the messages of the request and nothing is remembered
// from earlier ones, so an agent that is killed and resumed finds the story where
// its own transcript left it. The one exception is "times": a rule that has
// answered so often within a session is passed over; that is for faults, of which
// no conversation keeps a trace.
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
// Options of text, words, thinking and tool: "delay" before each delta ("20ms"),
// "chunk", the bytes of a delta where words are not wanted, "repeat", the text so
// many times, "unfinished", the block is not closed, for a fault in its middle.
// Waiting ends when the client goes away.
//
// Strings in replies may hold ${prompt}, ${result}, ${1} (what the first group of
// the prompt's expression matched), ${cwd} and ${plan_file}, the path that plan
// mode tells the model to write to.
//
// Requests no rule answers get a harmless text that says so, and Request.Rule is
// empty. Summaries, titles and other requests of Claude Code itself are
// answered without a rule.
package model
