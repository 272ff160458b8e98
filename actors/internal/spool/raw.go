package spool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"

	"betcode/messages"
)

// rawChunk is how many bytes are passed on at once.
const rawChunk = 64 << 10

// Raw passes all bytes that were written to the spool at path so far to give: from the
// archive, then from the rest of the spool. The spool may be archived meanwhile.
// NotFound: there never was such a spool.
func Raw(ctx context.Context, path string, give func([]byte) error) error {
	var at int64
	for missing := 0; ; {
		if err := ctx.Err(); err != nil {
			return &messages.Error{Op: opRead, Kind: messages.Canceled, Err: err}
		}
		all, err := segments(path)
		if err != nil {
			return archiveError(err)
		}
		if at < endOf(all) {
			if at, err = unpackAll(ctx, all, at, give); err != nil {
				return err
			}
			continue
		}
		chunk, err := readPlain(path, at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at == 0 && missing > 0:
			return &messages.Error{Op: opRead, Kind: messages.NotFound, Err: err}
		case errors.Is(err, fs.ErrNotExist):
			if missing++; missing > 1 {
				return nil // finished, and all of it was passed on
			}
			continue // it may have been archived between the two reads
		case err != nil:
			return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
		case len(chunk) == 0:
			return nil
		}
		// Bytes that were archived while they were read may have been a hole already.
		if all, err := segments(path); err != nil || endOf(all) > at {
			continue
		}
		if err := give(chunk); err != nil {
			return err
		}
		at += int64(len(chunk))
	}
}

func readPlain(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	chunk := make([]byte, rawChunk)
	n, err := f.ReadAt(chunk, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return chunk[:n], err
}

// unpackAll passes on the segments from an offset of the spool on, and returns the offset behind them.
func unpackAll(ctx context.Context, all []segment, at int64, give func([]byte) error) (int64, error) {
	for _, s := range all {
		if s.from <= at && at < s.to {
			if err := unpack(ctx, s, at, give); err != nil {
				return at, err
			}
			at = s.to
		}
	}
	return at, nil
}

// unpack passes on a segment from an offset of the spool on.
func unpack(ctx context.Context, s segment, at int64, give func([]byte) error) error {
	f, err := os.Open(s.path)
	if err != nil {
		return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	defer f.Close()
	decoder, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return &messages.Error{Op: opRead, Kind: messages.Internal, Err: err}
	}
	defer decoder.Close()
	if _, err := io.CopyN(io.Discard, decoder, at-s.from); err != nil {
		return damaged(s, err)
	}
	for left := s.to - at; left > 0; {
		if err := ctx.Err(); err != nil {
			return &messages.Error{Op: opRead, Kind: messages.Canceled, Err: err}
		}
		chunk := make([]byte, min(left, rawChunk))
		if _, err := io.ReadFull(decoder, chunk); err != nil {
			return damaged(s, err)
		}
		if err := give(chunk); err != nil {
			return err
		}
		left -= int64(len(chunk))
	}
	return nil
}

func damaged(s segment, err error) error {
	return messages.Errorf(opRead, messages.DataLoss, "%s: %w", s.path, err)
}
