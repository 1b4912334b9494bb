# The only front door. `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help deps deps-test proto build fmt check run up test test-unit test-int test-e2e chaos attack bench migrate

help: ## Show this list
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

deps: ## Install what running needs: npm packages; bubblewrap and python3-venv where missing and root
	@deploy/scripts/deps.sh run

deps-test: deps ## Install what the tests need besides: PostgreSQL, and a nats-server of at least 2.10
	@deploy/scripts/deps.sh test

proto: deps ## Generate the TypeScript of the contracts
	@deploy/scripts/proto.sh

build: proto ## Transpile every package to dist
	@node deploy/scripts/build.mjs

fmt: deps ## Format everything
	@npx prettier --write --log-level warn .

check: proto ## Contracts, format, lint, boundaries, types: cheapest first
	@deploy/scripts/check.sh

run: build ## Start locally and run a real analysis: plan, steps, a repair, artifacts, how they were made
	@deploy/scripts/demo.sh

up: build ## Start the local stack and keep it running
	@node deploy/local/bin/scid.js up

test: deps-test build check ## Everything that must hold: check, unit, integration, end to end, chaos
	@deploy/scripts/test.sh unit int e2e chaos

test-unit: proto ## Unit tests only
	@deploy/scripts/test.sh unit

test-int: deps-test build ## Integration tests only
	@deploy/scripts/test.sh int

test-e2e: deps-test build ## End-to-end tests only
	@deploy/scripts/test.sh e2e

chaos: deps-test build ## The whole kill matrix
	@CHAOS_MATRIX=full deploy/scripts/test.sh chaos

attack: deps-test build ## Try to break out of the sandbox and out of paths; peers beside us
	@deploy/scripts/test.sh attack

bench: deps-test build ## Measure against floors and peers; prints a table
	@node test/bench/main.mjs

migrate: build ## Bring a PostgreSQL database (PG_URL) and the streams (NATS_URL) up to date
	@node deploy/local/dist/migrate.js
