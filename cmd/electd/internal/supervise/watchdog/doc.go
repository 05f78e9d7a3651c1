// Package watchdog is the small process that a supervised program runs under
// (design 8.3), and electd's side of the pipe to it.
//
// It takes the election's lock before the program starts and lets go of it when
// the last process of the program's group is gone. It holds the deadline of the
// program's authority on a clock that electd shares, and kills the whole group
// at that deadline, whatever became of electd: it needs nothing from it.
//
// electd → watchdog, a pipe: one Spec, then frames of nine bytes. A deadline is
// an instant, not a duration: once the frame is written it holds, however late
// it is read. The first one starts the program. watchdog → electd, a second pipe: Events, one JSON object a line.
//
// When the first pipe closes, electd is gone. Nobody can extend the deadline
// any more and a new electd waits for the lock, so the program is asked to stop
// at once and killed after its stop timeout, or at the deadline if that is
// sooner.
package watchdog
