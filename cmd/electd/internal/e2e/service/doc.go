// Package service tests what electd does for the service it protects, with real
// daemons and real programs: hooks, health, the watchdog of a frozen daemon,
// reloads, and what the service manager is told.
package service
