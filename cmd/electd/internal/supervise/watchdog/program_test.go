package watchdog_test

func program(args []string) int { return 0 }
