package catalog

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// busyCodes are the codes of errors that pass. The client knows of others.
func busyCodes() []string {
	return []string{
		"SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "OperationAborted", "RequestLimitExceeded",
		"Throttling", "ThrottlingException", "ThrottledException", "TooManyRequests", "TooManyRequestsException", "BandwidthLimitExceeded",
	}
}

// storeError is an error of the S3 client, of class ErrBusy if it may pass.
func storeError(what, path string, err error) error {
	err = fmt.Errorf("%s %q: %w", what, path, err)
	if isBusy(err) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

func isBusy(err error) bool {
	if slices.Contains(busyCodes(), codeOf(err)) || statusOf(err) == http.StatusTooManyRequests {
		return true
	}
	return retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary
}

// isUnknownRequest says whether a store does not know a request, as stores that
// speak part of S3's protocol may not know DeleteObjects.
func isUnknownRequest(err error) bool {
	known := []string{"NotImplemented", "MethodNotAllowed", "MissingContentMD5", "InvalidRequest", "MalformedXML"}
	status := statusOf(err)
	return slices.Contains(known, codeOf(err)) || status == http.StatusNotImplemented || status == http.StatusMethodNotAllowed
}

func isMissingObject(err error) bool { return codeOf(err) == "NoSuchKey" }

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}
