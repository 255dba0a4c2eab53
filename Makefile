GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
export CGO_ENABLED = 0

.PHONY: build test lint demo clean

build:
	$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/firn ./cmd/firn

test:
	$(GO) test ./...

lint:
	@test -z "$$($(GO) tool gofumpt -l .)" || { $(GO) tool gofumpt -d .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

demo: build
	bin/firn demo

clean:
	rm -rf bin firn-data
