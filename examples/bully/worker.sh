# The service of the example: says ten times a second who works, at which epoch.
while :; do
	echo "$ELECTD_EPOCH $ELECTD_NODE" >>work.log
	sleep 0.1
done
