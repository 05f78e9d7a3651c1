// Package explore searches small elections exhaustively: every order in which
// messages, answers of the store, crashes and the passing of time can come, over
// the real core.Step, breadth first, so that what it finds is found by the
// shortest trace.
//
// Time goes by in ticks of one heartbeat interval, all clocks alike; the fence
// margin is 0, so that nothing hides behind it. Between ticks anything may come in
// any order. Messages are lost by never being chosen.
package explore
