// Package voice turns speech of pages into text, with a recogniser that its user names: a program, or an HTTP server. It decides
// nothing about the text; a page sends it as a prompt or does not.
//
// # Who owns what
//
// A [Service] owns the places for recordings: so many recognisers work at once. A conversation owns one socket and at most one
// recording; a recording owns its recogniser, which is a process with its children or a request. The caller checks rights before:
// the portal hands over sockets and uploads of callers with the right to control.
//
// # What is promised, in what order
//
//   - Audio goes to the recogniser as it comes, and its results to the page as they come, each once. A VoiceEnded or a VoiceError
//     follows the last of them, unless another StartVoice took the recording's place.
//   - Audio before StartVoice, and frames about another session, are ignored.
//   - A recogniser gets no variable of the environment but those that programs need, and ends with its recording, killed with what
//     it has started.
//   - Results have no control characters, so that no recogniser writes escapes into a terminal or a page.
//
// # Bounds
//
// A recording has at most ten minutes of audio, and nothing is heard from a page that sends nothing for 30 seconds. A recogniser
// has a minute after the end of its audio, at most 1 000 results and 1 MiB of output, and 10 seconds to take audio. Audio is
// buffered for two seconds.
//
// # On a crash
//
// Nothing is stored. When this process is killed, the recogniser's input closes.
package voice
