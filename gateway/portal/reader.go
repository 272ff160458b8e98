package portal

import (
	"context"
	"errors"

	"github.com/rs/zerolog"
)

// errEnded ends a reader whose session has gone.
var errEnded = errors.New("the session has ended")

// reader reads a session for one page: by itself up to where the feed of its account is, then from the
// feed. One that the feed has left behind reads by itself again.
type reader struct {
	feeds *feeds
	key   feedKey
	here  position // how far it has read by itself
	shown uint64   // number of the newest event that was shown
	head  uint64   // it reads by itself at least to here
	show  func(context.Context, *item)
	log   zerolog.Logger
}

// run shows each event behind its position once, in order, until the session ends or ctx does. The
// error says why; [errEnded] if there is nothing to say.
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

// catchUp reads as fast as the page takes it, and returns when the page is where its feed is. It joins
// the feed before it reads the rest, so nothing is between the two; events that both have are known by
// their numbers. Without a feed its own stream becomes one.
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
				continue // another page has begun a feed
			}
		case o.closed():
			continue // reading took so long that the outbox is full, or the feed has ended
		default:
			follower.Close()
		}
		r.here = position{} // the feed translates now
		return o, nil
	}
}

// read reads up to an event.
func (r *reader) read(ctx context.Context, follower Conversation, until uint64) error {
	for r.here.at < until {
		select {
		case e, ok := <-follower.Events():
			if !ok {
				return ended(follower.Err())
			}
			r.tell(ctx, r.here.next(e))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// follow shows what the feed has for the page. It returns nil if the page is left behind.
func (r *reader) follow(ctx context.Context, o *outbox) error {
	defer o.leave()
	for {
		select {
		case i, ok := <-o.items:
			switch {
			case ok:
				o.took(i)
				r.tell(ctx, i)
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

// tell shows an item once: a page may be ahead of its feed, and of the place where the feed leaves it
// behind. The feed repeats requests that wait, so the page is told of each decision.
func (r *reader) tell(ctx context.Context, i *item) {
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
