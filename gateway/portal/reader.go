package portal

import (
	"context"
	"errors"

	"github.com/rs/zerolog"
)

// errEnded ends a reader whose session has ended.
var errEnded = errors.New("the session has ended")

// reader reads a session for one page: by itself up to the position of the account's feed, then from
// the feed. If the page is too slow for the feed, it reads by itself again.
type reader struct {
	feeds *feeds
	key   feedKey
	here  position // how far it has read by itself
	shown uint64   // number of the newest event that was shown
	head  uint64   // position up to which it must read by itself
	show  func(context.Context, *item)
	log   zerolog.Logger
}

// run shows each event after its position once, in order, until the session or ctx ends. The error
// is the reason, or [errEnded] without one.
func (r *reader) run(ctx context.Context) error {
	for {
		o, err := r.catchUp(ctx)
		if err == nil {
			err = r.follow(ctx, o)
		}
		if err != nil {
			return err
		}
	}
}

// catchUp reads as fast as the page does, and returns when the page has reached its feed. It joins the
// feed before it reads the rest, so that no event is missed; duplicates are recognised by their
// sequences. Without a feed its own stream becomes the feed.
func (r *reader) catchUp(ctx context.Context) (*outbox, error) {
	follower := r.key.account.Follow(r.key.session, r.here.at)
	for {
		o, from := r.feeds.join(r.key)
		if err := r.read(ctx, follower, max(from, r.head)); err != nil {
			follower.Close()
			if o != nil {
				o.leave()
			}
			return nil, err
		}
		switch {
		case o == nil:
			if o = r.feeds.found(r.key, follower, r.here); o == nil {
				continue // another page has begun a feed meanwhile
			}
		case o.closed():
			continue // reading took so long that the outbox is full, or the feed has ended
		default:
			follower.Close()
		}
		r.here = position{} // from now on the feed translates
		return o, nil
	}
}

// read reads events up to a sequence.
func (r *reader) read(ctx context.Context, follower Conversation, until uint64) error {
	for r.here.at < until {
		select {
		case e, ok := <-follower.Events():
			if !ok {
				return ended(follower.Err())
			}
			r.showOnce(ctx, r.here.next(e))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// follow shows the items of the feed. It returns nil if the page was too slow.
func (r *reader) follow(ctx context.Context, o *outbox) error {
	defer o.leave()
	for {
		select {
		case i, ok := <-o.items:
			switch {
			case ok:
				o.took(i)
				r.showOnce(ctx, i)
			case o.behind != nil:
				r.here = *o.behind
				r.log.Info().Uint64("sequence", r.here.at).Msg("page is behind and reads by itself")
				return nil
			default:
				return ended(o.feed.reason())
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// showOnce shows an item unless the page has it: a page may be ahead of its feed, and of the position
// at which it leaves the feed. The feed repeats waiting requests, so decisions are always passed on.
func (r *reader) showOnce(ctx context.Context, i *item) {
	switch seq := i.event.GetSequence(); {
	case seq == 0:
		r.show(ctx, i)
	case seq > r.shown:
		r.shown = seq
		r.show(ctx, i)
	case i.event.GetPermissionResolved() != nil:
		r.show(ctx, &item{event: i.event})
	}
}

func ended(err error) error {
	if err == nil {
		return errEnded
	}
	return err
}
