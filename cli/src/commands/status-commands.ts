import { calling, defineCommand, flag, keyed, text } from '../command-line/command-spec.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'Show how the checks stand, or one of them with its regions',
  details: [
    'Without a name: every check with its aggregate status, the worst first. With one: each region with its reason, the phases of its newest reading, how old that is, and the uptime.',
    'With --watch it stays and shows changes as they happen: in place on a terminal, elsewhere a line for each, with --json an object on a line. Ctrl-C ends it.',
    'Exits 0 whatever the status is, 1 where it cannot be read.',
  ],
  positional: [{ name: '[name]', description: 'the name of a check, or its id' }],
  options: { watch: flag('--watch', 'stay, and show changes as they happen'), ...keyed },
  examples: [
    ['service status', 'every check'],
    ['service status api', 'one check, region by region'],
    ['service status --watch', 'a live view; Ctrl-C ends it'],
    [
      'service status --json | jq -r \'.checks[] | select(.status == "down") | .name\'',
      'what is down',
    ],
  ],
  load: async () => {
    const { showStatus } = await import('../acts/show-status.ts')
    const { followEvents } = await import('../api/follow-events.ts')
    return showStatus({ followEvents, rows: () => process.stdout.rows })
  },
})

export const top = defineCommand({
  name: 'top',
  summary: 'Watch the checks live, in the terminal',
  details: [
    'Every check by region as it is measured: status, latency and age, each with its details. What is not heard of any more turns stale by itself. The key ? lists the keys; nothing is written but by r, which asks first.',
    'It needs a terminal of 40x10 at least. INK_SCREEN_READER=true shows sentences for screen readers, which change when a status does.',
    'With --json it needs no terminal: one JSON object a line, a snapshot of the checks after every connection, then the events of the API.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service top', 'the live view'],
    ['service top --json', 'snapshots and events, a line each, for a program'],
  ],
  load: async () => (await import('../acts/top.ts')).top,
})

export const outage = defineCommand({
  name: 'outage',
  summary: 'Say whether a service of the catalog is down, without a key',
  details: [
    'The answer comes from our own probes, with the regions that were read, when, and how fresh that is. A service that refuses probes is blocked, not down; one that nobody measures is not covered, never guessed.',
    'Exits 0 with any answer, 1 where there is none.',
  ],
  positional: [{ name: '<service>', description: 'a slug, a name, an alias or a domain' }],
  options: calling,
  examples: [
    ['service outage github', 'whether GitHub is down, and where'],
    ['service outage github.com --json | jq -r .status', 'its status as a word'],
  ],
  load: async () => (await import('../acts/ask-outage.ts')).askOutage,
})

export const incidents = defineCommand({
  name: 'incidents',
  summary: 'List the newest incidents of every check',
  positional: [],
  options: { limit: text('--limit <n>', 'how many, 1 to 500; without it 20'), ...keyed },
  examples: [
    ['service incidents', 'the newest 20'],
    [
      "service incidents --limit 500 --json | jq '.incidents[] | select(.resolvedAt == null)'",
      'those that are not over',
    ],
  ],
  load: async () => (await import('../acts/list-incidents.ts')).listIncidents,
})

export const maintenance = defineCommand({
  name: 'maintenance',
  summary: 'Show what is under maintenance now, on every status page',
  details: [
    'The API tells the active window of a page, of several the one that ends last. Windows that have not begun are on the status page.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service maintenance', 'the active windows'],
    ['service maintenance --json | jq .windows[].endsAt', 'when they end'],
  ],
  load: async () => (await import('../acts/list-maintenance.ts')).listMaintenance,
})

export const run = defineCommand({
  name: 'run',
  summary: 'Measure a check now, from each of its regions',
  details: [
    'Shows the verdict of each region and where the time went: dns, connect, tls, ttfb and transfer, or the requests of a multi-step check. A region that does not answer is unmeasured, not down.',
    'It needs a read_write key and counts as one write. Exits 0 when measured, also where the target is down, 1 when refused.',
  ],
  positional: [{ name: '<check>', description: 'the name of a check, or its id' }],
  options: keyed,
  examples: [
    ['service run api', 'measures the check named api'],
    [
      'service run api --json | jq -r \'.readings[] | "\\(.region) \\(.latencyMs)"\'',
      'its latencies',
    ],
  ],
  load: async () => (await import('../acts/run-check.ts')).runCheck,
})
