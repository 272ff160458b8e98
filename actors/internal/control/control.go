// Package control signs the ids of control requests to an agent.
//
// Any process that an agent has started may write into its FIFO, so an answer of the agent does not show who asked. The
// signature is made with a key of the run that the agent never gets.
package control

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"betcode/messages"
)

const signatureLength = 16

// ID returns the id of a control request of a run. The name must be unique in it.
// A run of a daemon without signatures has no key; its ids are bare names.
func ID(run *messages.RunRecord, name string) string {
	if run == nil || run.ControlKey == "" {
		return name
	}
	return name + "." + Signature(run.ControlKey, name)
}

// SignatureOf returns the signature of an id, and whether it was made with the key.
func SignatureOf(key, id string) (string, bool) {
	i := strings.LastIndexByte(id, '.')
	if i < 0 {
		return "", false
	}
	given := id[i+1:]
	return given, hmac.Equal([]byte(given), []byte(Signature(key, id[:i])))
}

// Signature signs the name of a control request with the key of a run.
func Signature(key, name string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(name))
	return hex.EncodeToString(h.Sum(nil))[:signatureLength]
}
