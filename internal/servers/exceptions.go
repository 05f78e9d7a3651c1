package servers

// Exceptions names, for each server, the checks of the conformance kit that a
// fault of the server's own keeps an arbiter on it from passing, each with the
// reason. The kit's runs on a server skip these and no others, in the arbiter's
// process and through its plugin.
//
// None is needed. What these servers do differently from the services they stand
// for, and why no check meets it:
//
//   - versitygw may pair a new body with the ETag before it: s3 repeats such a read,
//     since ETags are digests there. Its conditional DELETE races: nothing deletes
//     by condition.
//   - gofakes3 answers If-Match on a missing key with 412, Amazon with 404: both are
//     conflicts. It ignores the condition of a DELETE: nothing deletes by condition.
//     It checks no secret: denials are tested on versitygw and on strict3.
//   - gcsemulator returns no CRC32C: an upload is one request, and the arbiter asks
//     for no checksum of it.
//   - fake-gcs-server gets DELETE and metageneration wrong: records are never
//     deleted, and no condition is on the metageneration.
//   - None of the four ever answers 409, 429, 500 or 503 by itself, as the services
//     do: the fault proxy does.
var Exceptions = map[string]map[string]string{
	"versitygw":       {},
	"gofakes3":        {},
	"strict3":         {},
	"gcsemulator":     {},
	"fake-gcs-server": {},
}
