package record

import (
	"fmt"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// DamagedKey returns the error of a key of a file that cannot be read.
func DamagedKey(op string, bucket, key []byte, cause error) *messages.Error {
	name := Describe(bucket, key)
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: fmt.Errorf("%s: %w", name, cause)}).
		WithCode(messages.StorageError).WithHint(fault.HintDamaged).With("key", name)
}
