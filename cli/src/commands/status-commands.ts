import { apiOptions, defineCommand, flag, keyOptions, text } from '../command-line/command-spec.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'Show the status of all checks, or of one check by region',
  details: [
    'Without a name: every check with its status, how long it has lasted, the regions that are up and the reason, worst first; with more room also latency, uptime and the last 24 hours. On a terminal the table fits its width, in a pipe nothing is cut. With a name: each region with its reason, the phases and the age of its newest reading, and the uptime.',
    'With --watch it keeps running and shows changes as they happen: in place on a terminal, otherwise one line per change, with --json one object per line. Ctrl-C stops it.',
    'Exits 0 whatever the status is, 1 if it cannot be read.',
  ],
  positional: [{ name: '[name]', description: 'name or id of a check' }],
  options: {
    watch: flag('--watch', 'keep running and show changes as they happen'),
    wide: flag('--wide', 'show every column, uncut, with each region'),
    sort: text('--sort <order>', 'order of the list (default: status, worst first)', {
      choices: ['status', 'name', 'changed', 'latency', 'uptime'],
    }),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh status', 'list every check'],
    ['probe-mesh status api', 'show one check by region'],
    ['probe-mesh status --wide --sort latency', 'list every column, slowest check first'],
    ['probe-mesh status --watch', 'watch all checks; Ctrl-C stops it'],
    [
      'probe-mesh status --json | jq -r \'.checks[] | select(.status == "down") | .name\'',
      'list the checks that are down',
    ],
  ],
  load: async () => {
    const { showStatus } = await import('../actions/show-status.ts')
    const { followEvents } = await import('../api/follow-events.ts')
    return showStatus({ followEvents, rows: () => process.stdout.rows })
  },
})

export const top = defineCommand({
  name: 'top',
  summary: 'Watch checks live in the terminal',
  details: [
    'Shows every check by region as it is measured: status, since when, reason, latency, age and the last 24 hours, as far as the window is wide enough; each check opens with its details. It reads the list once a minute, at most 6 requests a minute for 2,000 checks. A check without recent readings turns stale. Press ? for the keys. Only the key r writes, and it asks for confirmation.',
    'It needs a terminal of at least 40x10. INK_SCREEN_READER=true prints sentences for screen readers, which change only when a status does.',
    'With --json it needs no terminal. It prints one JSON object per line: a snapshot of the checks after every connection, then the events of the API.',
  ],
  positional: [],
  options: {
    sort: text('--sort <order>', 'first order of the list; the key s changes it (default: status)', {
      choices: ['status', 'name', 'changed'],
    }),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh top', 'open the live view'],
    ['probe-mesh top --json', 'print snapshots and events as JSON lines'],
  ],
  load: async () => (await import('../actions/top.ts')).top,
})

export const outage = defineCommand({
  name: 'outage',
  summary: 'Show whether a catalog service is down; needs no key',
  details: [
    'The answer comes from our own probes. It names the regions read, when they were read and how fresh the data is. A service that refuses probes is blocked, not down. A service that is not measured is not covered; its status is never guessed.',
    'Exits 0 with any answer, 1 without one.',
  ],
  positional: [{ name: '<service>', description: 'slug, name, alias or domain' }],
  options: apiOptions,
  examples: [
    ['probe-mesh outage github', 'show whether GitHub is down, and where'],
    ['probe-mesh outage github.com --json | jq -r .status', 'print its status only'],
  ],
  load: async () => (await import('../actions/outage.ts')).showOutage,
})

export const incidents = defineCommand({
  name: 'incidents',
  summary: 'List the newest incidents of all checks',
  positional: [],
  options: { limit: text('--limit <n>', 'how many, from 1 to 500 (default: 20)'), ...keyOptions },
  examples: [
    ['probe-mesh incidents', 'list the newest 20'],
    [
      "probe-mesh incidents --limit 500 --json | jq '.incidents[] | select(.resolvedAt == null)'",
      'list unresolved incidents',
    ],
  ],
  load: async () => (await import('../actions/list-incidents.ts')).listIncidents,
})

export const run = defineCommand({
  name: 'run',
  summary: 'Measure a check now from each of its regions',
  details: [
    'Shows the verdict of each region and where the time went: dns, connect, tls, ttfb and transfer, or the requests of a multi-step check. A region that does not answer is unmeasured, not down.',
    'It needs a read_write key and counts as one write. Exits 0 when measured, even if the target is down, and 1 when refused.',
  ],
  positional: [{ name: '<check>', description: 'name or id of a check' }],
  options: keyOptions,
  examples: [
    ['probe-mesh run api', 'measure the check named api'],
    [
      'probe-mesh run api --json | jq -r \'.readings[] | "\\(.region) \\(.latencyMs)"\'',
      'print its latencies',
    ],
  ],
  load: async () => (await import('../actions/run-check.ts')).runCheck,
})
