// Package lookback has the code that the commands about the past share with the screen: the time of
// the last digest, the sums of a digest, and the texts of search hits. It calls no daemon and
// writes one file.
package lookback
