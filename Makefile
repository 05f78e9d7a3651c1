.PHONY: test check bench soak proof build

build: ; go build -o dist/ ./cmd/electd ./plugins/...
test:  ; scripts/test.sh
check: ; scripts/check.sh
bench: ; scripts/bench.sh
soak:  ; scripts/soak.sh
proof: ; scripts/proof-long.sh
