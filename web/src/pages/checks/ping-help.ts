import type { Heartbeat, HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { html } from '@probe-mesh/runtime/html'
import type { Piece } from '@probe-mesh/runtime/html'

/** What the schedule of a heartbeat says; null where it cannot be read. */
export type CronSchedule = Pick<HeartbeatSettings, 'cron' | 'timeZone'> | null

/**
 * When a cron line runs a job once a period, five fields; null where no such line exists, since cron
 * begins anew with every hour and every day.
 */
export const cronFields = (periodSeconds: number | null): string | null => {
  if (periodSeconds === null || periodSeconds % 60 !== 0) return null
  const minutes = periodSeconds / 60
  if (minutes === 1) return '* * * * *'
  if (minutes < 60) return 60 % minutes === 0 ? `*/${minutes} * * * *` : null
  const hours = minutes / 60
  if (!Number.isInteger(hours)) return null
  if (hours === 1) return '0 * * * *'
  if (hours < 24) return 24 % hours === 0 ? `0 */${hours} * * *` : null
  return hours === 24 ? '0 0 * * *' : hours === 168 ? '0 0 * * 0' : null
}

const curl = 'curl -fsS -m 10 --retry 5 -o /dev/null'

/** Where to ping, in a crontab and in a script; nothing for who may not know it. */
export const pingHelp = ({ pingUrl, periodSeconds }: Heartbeat, schedule: CronSchedule): Piece => {
  if (pingUrl === null) return null
  const fields = schedule?.cron ?? cronFields(periodSeconds)
  return html`
    <h2>Where to ping</h2>
    <p>Whoever has this address can ping: keep it as you keep a password.</p>
    <pre><code>${pingUrl}</code></pre>
    <h3>In a crontab</h3>
    <p>
      After the job, with its exit code: 0 is a good run, any other a failure.
      ${fields === null && "Put the job's own times in the place of the five stars."}
      ${schedule?.cron !== null && schedule !== null && `The times are those of ${schedule.timeZone ?? 'UTC'}: set the zone of the machine or of its cron to it.`}
    </p>
    <pre><code>${fields ?? '* * * * *'} /path/to/job; ${curl} ${pingUrl}/$?</code></pre>
    <h3>In a script</h3>
    <p>
      Told when it begins, its run time is watched; what is sent with a failure stands beside its
      run.
    </p>
    <pre><code>${curl} ${pingUrl}/start
if message=$(/path/to/job 2&gt;&amp;1)
then ${curl} ${pingUrl}
else ${curl} --data-raw "$message" ${pingUrl}/fail
fi</code></pre>
  `
}
