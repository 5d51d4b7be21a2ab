import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'

/** What a check with a cron schedule, whose pings are not evenly apart, is said to be every, seconds. */
const cronIntervalSeconds = 60

/**
 * The interval of a heartbeat, seconds: how far its pings are apart. Nothing is due by it, since a
 * heartbeat has no regions.
 */
export const heartbeatIntervalSeconds = ({
  periodSeconds,
}: Pick<HeartbeatSettings, 'periodSeconds'>): number => periodSeconds ?? cronIntervalSeconds
