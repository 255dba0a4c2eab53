package server

import (
	"context"
	"time"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
)

// settleEvery is how often the journal is looked at.
const settleEvery = time.Hour

// settle settles the runs in the journal, at once and then every hour, until ctx
// is done.
func (s *Server) settle(ctx context.Context) {
	if s.cfg.Journal == nil {
		return
	}
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for {
		if err := s.settleOnce(ctx); err != nil {
			s.cfg.Log.Error("journal was not settled", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// settleOnce makes a panic its error.
func (s *Server) settleOnce(ctx context.Context) error {
	return guard.Do(func() error {
		maintenance.Settle(ctx, maintenance.Env{Now: s.cfg.Now, Log: s.cfg.Log, Limits: s.cfg.Limits, Journal: s.cfg.Journal}, s.cfg.Catalogs)
		return nil
	})
}
