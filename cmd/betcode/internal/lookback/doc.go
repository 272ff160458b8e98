// Package lookback holds what the commands about the past and the screen share: when a person last looked, the sums of a digest, and
// the texts of search hits. It asks no daemon and writes one file.
package lookback
