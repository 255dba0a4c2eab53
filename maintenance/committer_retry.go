package maintenance

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/apache/iceberg-go"
)

// commitRetries is the table property that says how often a refused commit is
// tried again.
const commitRetries = "commit.retry.num-retries"

// retry says how often and at what intervals something is tried again: the
// interval doubles from least to most, and everything together stays within
// timeout.
type retry struct {
	retries              int
	least, most, timeout time.Duration
}

// retryOf reads how refused commits are retried, with the defaults of Java's
// TableProperties.
func retryOf(props iceberg.Properties) retry {
	return retry{
		retries: max(0, props.GetInt(commitRetries, 4)),
		least:   millis(props, "commit.retry.min-wait-ms", 100),
		most:    millis(props, "commit.retry.max-wait-ms", 60_000),
		timeout: millis(props, "commit.retry.total-timeout-ms", 1_800_000),
	}
}

// checkOf reads how often the table is looked at after a commit of unknown
// outcome, with the defaults of Java's TableProperties but for the whole: half an
// hour there, which is long for somebody who waits for an answer.
func checkOf(props iceberg.Properties) retry {
	return retry{
		retries: max(0, props.GetInt("commit.status-check.num-retries", 3)),
		least:   millis(props, "commit.status-check.min-wait-ms", 1_000),
		most:    millis(props, "commit.status-check.max-wait-ms", 60_000),
		timeout: millis(props, "commit.status-check.total-timeout-ms", 120_000),
	}
}

func millis(props iceberg.Properties, key string, value int) time.Duration {
	return time.Duration(max(0, props.GetInt(key, value))) * time.Millisecond
}

// delay is how long to wait after the given attempt, the first being 0. A tenth
// of it is random, so that writers that were refused together do not meet again.
func (r retry) delay(attempt int) time.Duration {
	d := r.most
	if attempt < 30 {
		d = min(r.most, r.least<<attempt)
	}
	if tenth := int64(d / 10); tenth > 0 {
		d += time.Duration(rand.Int64N(tenth))
	}
	return d
}

// TryAgain says whether a job may be done anew after that many attempts, by the
// table's commit.retry properties, and waits as they say.
func TryAgain(ctx context.Context, env Env, props iceberg.Properties, attempts int) (bool, error) {
	retry := retryOf(props)
	if attempts > retry.retries {
		return false, nil
	}
	return true, env.wait(ctx, retry.delay(attempts-1))
}

// wait pauses for d or until ctx is done.
func (e Env) wait(ctx context.Context, d time.Duration) error {
	if e.Wait != nil {
		return e.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// now is the time of the clock.
func (e Env) now() time.Time {
	if e.Now != nil {
		return e.Now()
	}
	return time.Now()
}

// Logger is the log, or one that drops everything.
func (e Env) Logger() *slog.Logger {
	if e.Log != nil {
		return e.Log
	}
	return slog.New(slog.DiscardHandler)
}
