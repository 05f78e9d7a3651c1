# To be sourced: runs the named steps of a script one after the other, says how
# long each took, and ends at the first that fails.
cd "$(dirname "$0")/.."
export ELECTD_TEST_NO_SKIP=1 PATH="$PWD/.cache/bin:$PATH" ELECTD_TEST_BIN="$PWD/.cache/bin"
mkdir -p "$ELECTD_TEST_BIN"
began=$(date +%s)

step() { # name, command ...
	name=$1
	shift
	printf '\n=== %s\n' "$name"
	from=$(date +%s)
	if ! "$@"; then
		printf '=== %s FAILED after %s s\n' "$name" "$(($(date +%s) - from))"
		exit 1
	fi
	printf '=== %s: ok, %s s\n' "$name" "$(($(date +%s) - from))"
}

formatted() {
	unformatted=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
	[ -z "$unformatted" ] || { printf 'not formatted with gofmt:\n%s\n' "$unformatted"; return 1; }
}

staticcheck() { go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...; }
