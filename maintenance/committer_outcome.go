package maintenance

import (
	"context"
	"errors"
	"strings"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/table"
)

// outcome is what an error of a catalog's commit tells.
type outcome int

const (
	// outcomeUnknown: the change may be part of the table, now or soon.
	outcomeUnknown outcome = iota
	// outcomeRefused: the table has moved; a change built anew may be accepted.
	outcomeRefused
	// outcomeRejected: the catalog will not accept the change at all.
	outcomeRejected
)

// outcomeOf classifies an error of a catalog's commit. Whatever does not prove
// that the change was turned down counts as unknown.
func outcomeOf(err error) outcome {
	switch {
	case errors.Is(err, rest.ErrCommitStateUnknown), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return outcomeUnknown
	case errors.Is(err, table.ErrCommitFailed), requirementFailed(err):
		return outcomeRefused
	case errors.Is(err, icecat.ErrNoSuchTable), errors.Is(err, iceberg.ErrInvalidArgument),
		errors.Is(err, rest.ErrBadRequest), errors.Is(err, rest.ErrUnauthorized),
		errors.Is(err, rest.ErrForbidden), errors.Is(err, rest.ErrAuthorizationExpired):
		return outcomeRejected
	}
	return outcomeUnknown
}

// requirementFailed recognises what iceberg-go's requirements return when they
// do not hold. The SQL, Hadoop, Hive and Glue catalogs pass it on as it is,
// without any error value that could be compared.
func requirementFailed(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.HasPrefix(strings.ToLower(err.Error()), "requirement failed:") {
			return true
		}
	}
	return false
}
