GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
export CGO_ENABLED = 0
# TAGS=allclouds builds in Google Cloud Storage and Azure.
TAGS    ?=
# gRPC's request tracing brings a template engine into the binary, with which
# the linker can drop no method: 40 MB more.
export GOFLAGS = -tags=grpcnotrace,$(TAGS)

.PHONY: build test lint demo clean

build:
	$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/firn ./cmd/firn

test:
	$(GO) test -timeout 30m ./...
	cd compat/go-icu-regex && $(GO) test ./...

lint:
	@test -z "$$($(GO) tool gofumpt -l .)" || { $(GO) tool gofumpt -d .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	cd compat/go-icu-regex && $(GO) vet ./...

demo: build
	bin/firn demo

clean:
	rm -rf bin firn-data
