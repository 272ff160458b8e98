// Package voice converts speech of pages to text, with a recogniser that the user configures: a program, or an HTTP
// server. The page decides whether it sends the text as a prompt.
//
// # Who owns what
//
// A [Service] owns the places for recordings, which bound the concurrent recognisers. A conversation owns one socket
// and at most one recording. A recording owns its recogniser, which is a process with its children, or a request. The
// portal checks first that the caller has the right to control.
//
// # Guarantees and their order
//
//   - Audio is passed to the recogniser as it arrives, and results to the page, each once. A VoiceEnded or a VoiceError
//     follows the last result, unless another StartVoice replaces the recording.
//   - Audio before StartVoice, and frames about another session, are ignored.
//   - A recogniser gets only the environment variables that programs need. It ends with its recording, when it is
//     killed with its children.
//   - Results have no control characters, so that a recogniser cannot write escapes into a terminal or a page.
//
// # Bounds
//
// A recording has at most ten minutes of audio, and ends when its page sends nothing for 30 seconds. A recogniser has a
// minute after the end of its audio, at most 1 000 results and 1 MiB of output, and 10 seconds to read audio. Two
// seconds of audio are buffered.
//
// # On a crash
//
// Nothing is stored. When this process is killed, the recogniser's input closes.
package voice
