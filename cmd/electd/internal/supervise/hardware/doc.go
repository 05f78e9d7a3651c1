// Package hardware pets the machine's watchdog device while this node's
// authority holds, so that a machine whose fence overruns is reset before the
// authority ends (design 8.3, issue 6).
//
// The device resets the machine one timeout after it was last petted. It is
// petted only at instants t with t + timeout ≤ authority, so the reset, if it
// comes, comes before the authority ends. When the fence is over the device is
// disarmed. A follower's machine is never reset.
package hardware
