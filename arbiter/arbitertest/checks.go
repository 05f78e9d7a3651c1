package arbitertest

// checks are all checks, simplest first. A check whose needs failed would only
// repeat their finding; it is skipped and says so.
var checks = []check{
	{
		name: "vacant-read",
		why:  "An election begins by reading a record that was never written; that is an answer, not an error.",
		run:  vacantRead,
	},
	{
		name: "read-your-writes",
		why:  "A node resolves a write by reading; a read that lags behind a finished write resolves it wrongly.",
		run:  readYourWrites,
	},
	{
		name: "corrupt-not-vacant",
		why:  "A damaged record taken for a vacant one would start a second holding beside the first.",
		run:  corruptNotVacant, needs: []string{"read-your-writes"},
	},
	{
		name: "odd-bytes",
		why:  "Fields of a newer version survive only if the record comes back byte for byte.",
		run:  oddBytes, needs: []string{"read-your-writes", "corrupt-not-vacant"},
	},
	{
		name: "large-record",
		why:  "The protocol may use records of up to 64 KiB; one that is cut off is corrupt for everybody.",
		run:  largeRecord, needs: []string{"read-your-writes"},
	},
	{
		name: "keys-isolated",
		why:  "Elections share a store; a write to one must never be read in another.",
		run:  keysIsolated, needs: []string{"read-your-writes"},
	},
	{
		name: "create-once",
		why:  "A node that believes the record absent must not overwrite the holder's.",
		run:  createOnce, needs: []string{"read-your-writes", "corrupt-not-vacant"},
	},
	{
		name: "new-version",
		why:  "Two records with one version cannot be told apart by a compare-and-swap.",
		run:  newVersion, needs: []string{"read-your-writes"},
	},
	{
		name: "stale-swap",
		why:  "A node that overlooked a take must not be able to write over it; this alone keeps two leaders apart.",
		run:  staleSwap, needs: []string{"read-your-writes", "new-version"},
	},
	{
		name: "missing-swap",
		why:  "A swap on a record that is gone must not bring an old holding back to life.",
		run:  missingSwap, needs: []string{"stale-swap"},
	},
	{
		name: "aba",
		why:  "A record that looks as before but for its write_id is another one, and the old version must not fit it.",
		run:  aba, needs: []string{"stale-swap"},
	},
	{
		name: "create-one-winner",
		why:  "Nodes that start together all create; more than one success is more than one leader.",
		run:  createOneWinner, needs: []string{"create-once"},
	},
	{
		name: "swap-one-winner",
		why:  "All followers challenge a silent holder at once; more than one success is more than one leader.",
		run:  swapOneWinner, needs: []string{"stale-swap"},
	},
	{
		name: "whole-read",
		why:  "A body read with another body's version makes a node swap on a record it has not seen.",
		run:  wholeRead, needs: []string{"aba"},
	},
	{
		name: "deadline-passed",
		why:  "A write's deadline lies inside the authority it is for; past it, the write must not be started.",
		run:  deadlinePassed, needs: []string{"read-your-writes"},
	},
	{
		name: "lost-answer",
		why:  "A write whose answer was lost may have happened; any other word for it makes a node act on a guess.",
		run:  lostAnswer, needs: []string{"create-once", "aba", "deadline-passed"},
	},
	{
		name: "deadline-silence",
		why:  "A store that falls silent must not keep a leader from fencing in time.",
		run:  deadlineSilence, needs: []string{"lost-answer"},
	},
	{
		name: "honest-outcome",
		why:  "\"Certainly not applied\" is believed without a look; said of a write that lands, it makes a second leader.",
		run:  honestOutcome, needs: []string{"deadline-silence"},
	},
	{
		name: "no-retry",
		why:  "A write repeated behind the core's back lands at a time that nobody reckoned with.",
		run:  noRetry, needs: []string{"lost-answer"},
	},
	{
		name: "late-write",
		why:  "A write that arrives late, after another node took, must change nothing.",
		run:  lateWrite, needs: []string{"deadline-silence", "no-retry"},
	},
	{
		name: "age-honest",
		why:  "A challenger waits a lease less the record's age; an age too large makes it take from a live leader.",
		run:  ageHonest, needs: []string{"read-your-writes"},
	},
	{
		name: "watch-hints",
		why:  "A follower that watches reads less often; a watch that stays silent would leave it behind.",
		run:  watchHints, needs: []string{"read-your-writes"},
	},
	{
		name: "close-twice",
		why:  "Clean-up runs on every path out; what is closed answers with an error and never hangs.",
		run:  closeTwice,
	},
	{
		name: "no-goroutine-left",
		why:  "An arbiter is opened anew after a reload; what each one leaves behind adds up.",
		run:  noGoroutineLeft, needs: []string{"close-twice"}, alone: true,
	},
	{
		name: "linearizable",
		why:  "All of the protocol rests on one register that behaves as if every operation took effect at one instant.",
		run:  linearizable,
		needs: []string{
			"whole-read", "create-one-winner", "swap-one-winner", "honest-outcome", "late-write",
		},
	},
}
