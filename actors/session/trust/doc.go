// Package trust says when the content of an agent's directory is compared with what the user trusts, what a comparison means for the
// agent, and which files it does not obey.
//
// It is pure. What an agent obeys is decided when it is started; the session has the content compared, announces the difference and
// replaces the agent.
package trust
